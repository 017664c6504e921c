// setTimeout and its kin, by the host's clock; what is cleared, or still waits when the result is there, never runs.

const live = new Set();
let next = 1;

function start(callback, milliseconds, args, repeats) {
  if (typeof callback !== 'function') throw new TypeError('A timer takes a function.');
  const id = next++;
  live.add(id);
  tick(id, callback, Math.max(Number(milliseconds) || 0, repeats ? 1 : 0), args, repeats);
  return id;
}

async function tick(id, callback, wait, args, repeats) {
  do {
    await globalThis.$sleep(wait);
    if (!live.has(id)) return;
    if (!repeats) live.delete(id);
    callback(...args);
  } while (repeats);
}

export const setTimeout = (callback, milliseconds = 0, ...args) => start(callback, milliseconds, args, false);
export const setInterval = (callback, milliseconds = 0, ...args) => start(callback, milliseconds, args, true);
export const setImmediate = (callback, ...args) => start(callback, 0, args, false);
export const clear = (id) => {
  live.delete(id);
};
