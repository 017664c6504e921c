// The way back to the engine while a call runs: questions that are awaited, questions that block, and what has no answer.

function way() {
  const given = globalThis.$workbench;
  if (given === undefined) throw new Error('While a file is loaded there is no thread: use state and ctx inside execute.');
  return given;
}

export const isThere = () => globalThis.$workbench !== undefined;
export const ask = async (method, params) => way().ask(method, params);
export const askNow = (method, params) => way().askNow(method, params);
export const tell = (kind, fields) => way().tell(kind, fields);
