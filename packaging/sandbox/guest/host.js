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

/** The questions of the running call; `of(threadId)` asks in the name of another thread, a parent or a child (T18). */
export const own = { ask, askNow, tell, of: (threadId) => inThread(threadId) };

function inThread(ofThread) {
  const wrapped = (ofMethod, params) => ({ ...params, ofThread, ofMethod });
  return {
    ask: (method, params) => ask('inThread', wrapped(method, params)),
    askNow: (method, params) => askNow('inThread', wrapped(method, params)),
    tell(kind, fields) {
      if (kind !== 'emit') tell(kind, fields);
      else askNow('inThread', wrapped('emit', { event: fields.event, dataJson: fields.data }));
    },
    of: inThread,
  };
}
