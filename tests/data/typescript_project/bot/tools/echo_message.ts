import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';

export default defineTool({
  description: "Echo a message from the agent's workspace.",
  execution: 'agent',
  inputSchema: z.object({ message: z.string() }),
  script: `#!/usr/bin/env bash
set -euo pipefail
python3 -c 'import json,sys; print(json.load(sys.stdin)["message"])'
`,
});
