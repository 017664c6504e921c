// `require` for a CommonJS module: the modules that its text names, imported beforehand.

export function requiring(modules) {
  return (specifier) => {
    if (!Object.hasOwn(modules, specifier)) throw new Error(`Cannot find module '${specifier}': it is not in the project's node_modules, or needs Node.js.`);
    const module = modules[specifier];
    // What was CommonJS itself gives what it exported; an ES module gives its names.
    return 'default' in module && Object.keys(module).every((name) => name === 'default' || Object.is(module[name], module.default?.[name])) ? module.default : module;
  };
}
