import { z } from 'zod';

const record = z.record(z.string(), z.unknown());

const eventSchema = z.looseObject({
  type: z.string(),
  index: z.int().min(0).max(10_000).optional(),
  message: record.optional(),
  content: z.array(z.unknown()).optional(),
  content_block: record.optional(),
  delta: record.optional(),
  usage: record.optional(),
});

type Event = z.infer<typeof eventSchema>;
type Block = Record<string, unknown>;

const isBlock = (value: unknown): value is Block => record.safeParse(value).success;

interface Building {
  message: Block | undefined;
  readonly blocks: Block[];
  /** Fragments of tool input by block. */
  readonly inputs: Map<number, string>;
  complete: boolean;
}

/**
 * The message that a stream of events adds up to, in the shape of an unstreamed answer; undefined when the stream
 * ended early. Tool input that is no JSON stays a string, so that the model can be told what it wrote.
 */
export async function collectMessage(
  events: AsyncIterable<unknown>,
  /** Called with the message as far as it has come: of one that breaks off its counts are billed. */
  onBegun: (message: object) => void = () => {},
): Promise<object | undefined> {
  const building: Building = { message: undefined, blocks: [], inputs: new Map(), complete: false };
  for await (const event of events) {
    const { data } = eventSchema.safeParse(event);
    const before = building.message;
    if (data) apply(building, data);
    if (building.message !== undefined && building.message !== before) onBegun(building.message);
  }
  if (!building.complete || !building.message) return undefined;
  return { ...building.message, content: building.blocks };
}

function apply(building: Building, event: Event): void {
  const { index = 0, message, content_block: block, delta } = event;
  // A whole message where a stream was asked for.
  if (event.type === 'message' && event.content) {
    building.message = { ...event };
    building.blocks.splice(0, Infinity, ...event.content.filter(isBlock));
    building.complete = true;
  }
  if (event.type === 'message_start' && message) building.message = begun(message);
  if (event.type === 'content_block_start' && block) building.blocks[index] = { ...block };
  if (event.type === 'content_block_delta' && delta) grow(building, index, delta);
  if (event.type === 'content_block_stop') settleInput(building, index);
  if (event.type === 'message_delta') building.message = withTotals(building.message, event);
  if (event.type === 'message_stop') building.complete = true;
}

function grow({ blocks, inputs }: Building, index: number, delta: Block): void {
  const block = blocks[index];
  if (!block) return;
  const append = (key: string) => {
    block[key] = `${block[key] ?? ''}${delta[key] ?? ''}`;
  };
  if (delta.type === 'text_delta') append('text');
  if (delta.type === 'thinking_delta') append('thinking');
  if (delta.type === 'signature_delta') block.signature = delta.signature;
  if (delta.type === 'citations_delta') {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
  }
  if (delta.type === 'input_json_delta') inputs.set(index, `${inputs.get(index) ?? ''}${delta.partial_json ?? ''}`);
}

function settleInput({ blocks, inputs }: Building, index: number): void {
  const block = blocks[index];
  const text = inputs.get(index)?.trim();
  if (!block || !text) return;
  try {
    block.input = JSON.parse(text);
  } catch {
    block.input = text;
  }
}

/** What is said to be written before anything is, is no count; where the end brings none, it is not known. */
function begun(message: Block): Block {
  const usage = record.safeParse(message.usage).data;
  return usage === undefined ? message : { ...message, usage: { ...usage, output_tokens: null } };
}

/** The counts of `message_delta` are totals; those it leaves out stand as they were. */
function withTotals(message: Block | undefined, { delta, usage }: Event): Block {
  const before = record.safeParse(message?.usage).data;
  const totals = Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...message, ...delta, usage: { ...before, ...Object.fromEntries(totals) } };
}
