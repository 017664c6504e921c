// A run of code is plain ECMAScript: what QuickJS brings beyond it is taken away.
for (const name of ['performance', 'navigator', 'gc', 'queueMicrotask', 'DOMException', 'atob', 'btoa']) delete globalThis[name];
