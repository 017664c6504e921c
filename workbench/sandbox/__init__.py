"""JavaScript and TypeScript in QuickJS on wasmtime: code that is run, and the host of definitions written in them."""
