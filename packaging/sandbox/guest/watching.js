// Whether a file that is loaded asks for what is another each time: the clock, or something random.

let steady = true;

export const isSteady = () => steady;

/** From here on; the file finds the same built-ins as ever. */
export function watch() {
  const seen = { apply: (target, self, given) => noted(Reflect.apply(target, self, given)) };
  const { Date, Math, crypto, performance } = globalThis;
  Math.random = new Proxy(Math.random, seen);
  Date.now = new Proxy(Date.now, seen);
  const found = {
    performance: { now: new Proxy(performance.now, seen), timeOrigin: performance.timeOrigin },
    crypto: { getRandomValues: new Proxy(crypto.getRandomValues, seen), randomUUID: new Proxy(crypto.randomUUID, seen) },
    Date: new Proxy(Date, { ...seen, construct: (target, given, made) => (given.length ? Reflect.construct(target, given, made) : noted(Reflect.construct(target, given, made))) }),
  };
  for (const [name, value] of Object.entries(found)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  Date.prototype.constructor = found.Date;
}

function noted(value) {
  steady = false;
  return value;
}
