// The globals of every sandbox beyond ECMAScript itself: console and report.
import { inspect } from 'sb:inspect.js';
import { log, report } from 'sb:boot.js';

const { apply } = Reflect;
const { replace, split, slice } = String.prototype;
const { join } = Array.prototype;
const toText = String, toNumber = Number, { trunc } = Math, { stringify } = JSON;
const NativeError = Error;
const DIRECTIVE = /%[sdifjoOc%]/g;

let indent = '';
const counts = { __proto__: null };

const formatted = (args) => {
  let used = 0, text = '';
  if (typeof args[0] === 'string' && args.length > 1) {
    used = 1;
    text = apply(replace, args[0], [DIRECTIVE, (directive) => {
      if (directive === '%%') return '%';
      if (used >= args.length) return directive;
      const value = args[used++];
      switch (directive) {
        case '%s': return typeof value === 'object' && value !== null ? inspect(value) : toText(value);
        case '%d': return toText(toNumber(value));
        case '%i': return toText(trunc(toNumber(value)));
        case '%f': return toText(toNumber(value));
        case '%j': return stringify(value);
        case '%c': return '';
        default: return inspect(value);
      }
    }]);
  }
  for (let i = used; i < args.length; i++) text += (i ? ' ' : '') + inspect(args[i]);
  return indent ? indent + apply(join, apply(split, text, ['\n']), [`\n${indent}`]) : text;
};

const write = (level, args) => {
  let text;
  try {
    text = formatted(args);
  } catch {
    text = '[cannot be shown]';
  }
  log(level, text);
};

const console = {
  log: (...args) => write('log', args),
  info: (...args) => write('info', args),
  warn: (...args) => write('warn', args),
  error: (...args) => write('error', args),
  debug: (...args) => write('debug', args),
  dir: (value) => write('log', [value]),
  table: (value) => write('log', [value]),
  trace: (...args) => write('debug', [...args, new NativeError('trace').stack]),
  assert: (holds, ...args) => {
    if (!holds) write('error', args.length ? ['Assertion failed:', ...args] : ['Assertion failed']);
  },
  group: (...args) => {
    if (args.length) write('log', args);
    indent += '  ';
  },
  groupEnd: () => {
    indent = apply(slice, indent, [2]);
  },
  count: (label = 'default') => {
    counts[label] = (counts[label] ?? 0) + 1;
    write('log', [`${label}: ${counts[label]}`]);
  },
};
console.groupCollapsed = console.group;

for (const name of Object.keys(console)) Object.defineProperty(console[name], 'name', { value: name });
for (const [name, value] of Object.entries({ console, report })) {
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}
