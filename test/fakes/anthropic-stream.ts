interface Reply {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: { readonly output_tokens: number };
}

/** The events of a streamed message: each text in two fragments, tool input as pieces of JSON text. */
export function anthropicStream(reply: Reply): string {
  const { content, stop_reason, stop_sequence, usage } = reply;
  const start = { ...reply, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function blockEvents(block: Reply['content'][number], index: number) {
  const empty = { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } };
  const start = { ...block, ...Object.entries(empty).find(([type]) => type === block.type)?.[1] };
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function deltas(block: Reply['content'][number]) {
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'tool_use') {
    const text = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
    return ['', ...halves(text)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  }
  if (block.type !== 'thinking') return [];
  const thoughts = halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
  return [...thoughts, { type: 'signature_delta', signature: block.signature }];
}

function halves(value: unknown): string[] {
  const text = String(value);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
