// What a value of a trace is as a number, and how it is written.
"use strict";
const values = (() => {
  const INDEX_ROLES = new Set(["predecessor", "pointer", "mate"]);
  const FINITE_ROLES = new Set([...INDEX_ROLES, "label", "flag", "set", "chosen", "count"]); // where null is no distance

  function isValue(v) {
    if (v === null || typeof v === "boolean") return true;
    if (typeof v === "number") return Number.isFinite(v);
    return typeof v === "string" && /^(nan|-?inf|-?\d{1,40})$/.test(v);
  }

  function number(v) {
    if (v === null || v === undefined || v === "inf") return Infinity;
    if (v === "nan") return NaN;
    if (v === "-inf") return -Infinity;
    return Number(v);
  }

  // The index that a value of such an array names, or -1 for none.
  function index(v, length) {
    const i = v === null || v === undefined || typeof v === "boolean" ? -1 : number(v);
    return Number.isInteger(i) && i >= 0 && i < length ? i : -1;
  }

  // Whether this stands for no value: an infinite distance, or the index of nothing.
  const isNone = (v, role) => v === null || v === undefined || v === "inf" || (INDEX_ROLES.has(role) && number(v) < 0);

  function text(v, role) {
    if (v === undefined) return "";
    if (FINITE_ROLES.has(role) && isNone(v, role)) return "\u2013";
    if (v === null || v === "inf") return "\u221e";
    if (v === "-inf") return "-\u221e";
    if (typeof v === "boolean") return v ? "1" : "0";
    if (typeof v === "number" && !Number.isInteger(v)) return String(Number(v.toPrecision(4)));
    return String(v);
  }

  // At most this many characters fit into a vertex.
  const short = (s, most = 5) => (s.length > most ? s.slice(0, most - 1) + "\u2026" : s);

  const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

  return { isValue, isNone, number, index, text, short, count };
})();
