import type { McpScript } from '../../fakes/mcp-script.ts';

const tool = (name: string, description: string, reads: boolean) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  ...(reads && { annotations: { readOnlyHint: true } }),
});
const inText = (text: string) => ({ content: [{ type: 'text', text }] });
/** The MCP server of the office. */
export const DIARY: McpScript = {
  tools: [tool('look_up', 'Looks an entry up in the diary of the office', true), tool('add', 'Writes into it', false)],
  byWord: {
    'harbour meeting': inText('Diary: the harbour meeting is on Thursday at ten, in the small room.'),
    dentist: inText('Diary: the dentist comes on Friday at noon.'),
    inspection: inText('Diary: the boat is inspected on Wednesday morning.'),
    holidays: inText('Diary: Carol is away from the twentieth on.'),
  },
};
