"""The tools that the protocol's conformance tests ask for, as a project's own."""

from __future__ import annotations

from pathlib import Path

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_IMAGE = f"{{ type: 'image', mimeType: 'image/png', data: '{_PIXEL}' }}"

_RETURNS = {
    "test_simple_text": "'This is a simple text response for testing.'",
    "test_image_content": f"{{ content: [{_IMAGE}] }}",
    "test_audio_content": f"{{ content: [{{ type: 'audio', mimeType: 'audio/wav', data: '{_SOUND}' }}] }}",
    "test_embedded_resource": (
        "{ content: [{ type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain',"
        " text: 'This is an embedded resource content.' } }] }"
    ),
    "test_multiple_content_types": (
        f"{{ content: [{{ type: 'text', text: 'Multiple content types test:' }}, {_IMAGE},"
        " { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json',"
        ' text: \'{"test":"data","value":123}\' } }] }'
    ),
}
_TOOL = """
import {{ defineTool }} from '@standardagents/spec';
export default defineTool({{
  description: 'A tool of the conformance tests.',
  execute: async (state) => {{ {body} }},
}});
"""
_SCHEMA_TOOL = """
import { defineTool } from '@grok/agent-sdk/tools';
export default defineTool({
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
  execute: async () => 'ok',
});
"""


def write_conformance_project(root: Path) -> Path:
    """Tools are in TypeScript: a Python file of such a name would be a test."""
    bodies = {name: f"return {value};" for name, value in _RETURNS.items()}
    bodies["test_error_handling"] = "throw new Error('This tool intentionally returns an error for testing');"
    bodies["test_tool_with_progress"] = (
        "for (const current of [0, 50, 100]) {"
        " state.emit('progress', { current, total: 100 });"
        " await new Promise((resolve) => setTimeout(resolve, 100)); } return 'done';"
    )
    folder = root / "agents" / "tools"
    folder.mkdir(parents=True)
    for name, body in bodies.items():
        (folder / f"{name}.ts").write_text(_TOOL.format(body=body))
    sdk = root / "bot" / "tools"
    sdk.mkdir(parents=True)
    (sdk / "json_schema_2020_12_tool.ts").write_text(_SCHEMA_TOOL)
    return root
