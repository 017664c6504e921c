// Provider factories that model files import: each stands for one of our model clients, which does the work.

/** The factory for one of our clients; `fields` are what a model definition gets from it. */
function factory(provider, fields = {}) {
  const make = () => make;
  Object.defineProperty(make, 'name', { value: provider });
  make.workbenchProvider = { provider, ...fields };
  return make;
}

const compatible = (baseUrl, keyVariable) => factory('openai-compatible', { baseUrl, keyVariable });

export const openai = factory('openai');
export const anthropic = factory('anthropic');
export const google = factory('google');
export const openrouter = factory('openrouter');
export const cerebras = compatible('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY');
export const groq = compatible('https://api.groq.com/openai/v1', 'GROQ_API_KEY');
export const novita = compatible('https://api.novita.ai/v3/openai', 'NOVITA_API_KEY');
export const deepinfra = compatible('https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY');
export const xai = compatible('https://api.x.ai/v1', 'XAI_API_KEY');
export const test = factory('scripted');
