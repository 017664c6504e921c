// There are no languages here. A method that is asked for one gives what it can, and says so once, since that is no error.

const SAID = {
  Number: ['toLocaleString'],
  BigInt: ['toLocaleString'],
  Date: ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'],
};
const said = new Set();

for (const [owner, names] of Object.entries(SAID)) {
  const { prototype } = globalThis[owner];
  for (const name of names) {
    const native = prototype[name];
    const method = { [name](...given) {
      if (given.length > 0 && !said.has(name)) {
        said.add(name);
        console.warn(`${name} leaves its language and options aside: the sandbox has no Intl.`);
      }
      return Reflect.apply(native, this, given);
    } }[name];
    Object.defineProperty(method, 'length', { value: 0, configurable: true });
    Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true, enumerable: false });
  }
}
