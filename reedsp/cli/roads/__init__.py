"""Commands about places on the earth: maps, the nearest vertices, routes, tables of travel times, isochrones."""
