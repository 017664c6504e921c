// CommonJS: a module is run when it is first required; required again while it runs, it gives what it has so far.

const modules = new WeakMap();

/**
 * What a module exports. `load` is the function that stands for it, `run` holds its text, `required` the modules that
 * the text names, imported beforehand: of a module in CommonJS its `$commonjs` is `load`, also before it was evaluated.
 */
export function exportsOf(load, run, required) {
  let module = modules.get(load);
  if (module === undefined) {
    modules.set(load, (module = { exports: {} }));
    const environment = { env: { NODE_ENV: 'production' } };
    run.call(module.exports, module, module.exports, requiring(required), globalThis, environment);
  }
  return module.exports;
}

/** The export of this name, which an import asks for. */
export function named(exports, name) {
  if (exports === null || exports === undefined || !(name in Object(exports))) {
    throw new ReferenceError(`A package has no export '${name}', which is imported from it.`);
  }
  return exports[name];
}

function requiring(required) {
  return (specifier) => {
    if (!Object.hasOwn(required, specifier)) throw new Error(`Cannot find module '${specifier}': it is not in the project's node_modules, or needs Node.js.`);
    const module = required[specifier];
    if ('$commonjs' in module) return module.$commonjs();
    const names = Object.keys(module);
    return names.length === 1 && names[0] === 'default' ? module.default : module;
  };
}
