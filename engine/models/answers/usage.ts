import type { GenerateRequest, GenerateResponse, ModelMessage, Usage } from '#contract';

/** Vendors bill an image between about 250 and 1,600 tokens. */
const IMAGE_TOKENS = 1600;
/** Bytes of a token, in most text of most models; of scripts with three bytes to a letter about a letter. */
const BYTES_PER_TOKEN = 3.5;
/** Faster than this hardly any model writes that does not answer within two minutes. */
const TOKENS_PER_SECOND = 100;
/** So many times more, or less, is no other way of counting. */
const MOST_RATIO = 2;
/** Below this the marks around messages and tools, which we do not see, make the difference. */
const LEAST_DIFFERENCE = 500;

/** What was counted, in place of what a vendor did not say or cannot have meant. */
type Counted = Pick<GenerateResponse, 'usage' | 'usageBasis' | 'usageSaid'>;

/**
 * The usage to book of an answer. Counts that the vendor left out are estimated; of two that differ by more than the
 * double the larger one counts, and `usageSaid` keeps what the vendor said.
 */
export function countedUsage(request: GenerateRequest, response: GenerateResponse): Counted {
  const { usage } = response;
  const unknown = usage.unknown ?? unsaid(response);
  const own = { input: inputTokens(request), output: outputTokens(response) };
  const known = withoutMark(usage);
  const filled: Usage = {
    ...known,
    input: unknown.includes('input') ? own.input : known.input,
    output: unknown.includes('output') ? own.output : known.output,
  };
  // A provider that counts nothing says so; nothing is billed there.
  if (usage.unknown?.length === 0 && usage.input === 0 && usage.output === 0) return { usage: known };
  return compared({ said: known, filled, own, isEstimate: unknown.length > 0, withImages: hasImages(request) });
}

/** Little is booked as the larger one, too: a hundred short answers are as much as a long one. Nobody is told of it. */
function compared(counts: {
  readonly said: Usage;
  readonly filled: Usage;
  readonly own: Pick<Usage, 'input' | 'output'>;
  readonly isEstimate: boolean;
  readonly withImages: boolean;
}): Counted {
  const { said, filled, own } = counts;
  const [inputs, outputs] = [
    [filled.input, own.input],
    [filled.output, own.output],
  ] as const;
  const isShort = { input: isBelow(...inputs), output: isBelow(...outputs) };
  // What was thought and not shown is output that only the vendor can count.
  const isLong = isBelow(own.input, filled.input) && !counts.withImages;
  const isFar =
    (isShort.input && isFarApart(...inputs)) ||
    (isShort.output && isFarApart(...outputs)) ||
    (isLong && isFarApart(own.input, filled.input));
  const isEstimate = counts.isEstimate || isShort.input || isShort.output;
  return {
    usage: {
      ...filled,
      input: isShort.input ? own.input : filled.input,
      output: isShort.output ? own.output : filled.output,
    },
    ...(isEstimate ? { usageBasis: 'estimated' } : isFar ? { usageBasis: 'known' } : {}),
    ...(isFar && { usageSaid: said }),
  };
}

/** What a call has used at most that was given up after `ms`: its answer may be there by now, and is billed. */
export const usageOfLate = (request: GenerateRequest, ms: number): Usage => ({
  input: inputTokens(request),
  output: Math.min(Math.ceil((ms / 1000) * TOKENS_PER_SECOND), request.maxOutputTokens ?? Number.POSITIVE_INFINITY),
  cached: 0,
  cacheWrite: 0,
});

/**
 * What a call has used that brought no answer, after `ms`: what its vendor has counted all the same, and where it counted
 * nothing as much as such a call can have used.
 */
export function usageOfFailed(
  request: GenerateRequest,
  { ms, said }: { readonly ms: number; readonly said: Usage | null },
): { readonly usage: Usage; readonly isEstimate: boolean } {
  const most = usageOfLate(request, ms);
  if (said === null) return { usage: most, isEstimate: true };
  const unknown = said.unknown ?? [];
  const isGuess = {
    input: unknown.includes('input') || isBelow(said.input, most.input),
    output: unknown.includes('output'),
  };
  return {
    usage: {
      ...withoutMark(said),
      input: isGuess.input ? most.input : said.input,
      output: isGuess.output ? most.output : said.output,
    },
    isEstimate: isGuess.input || isGuess.output,
  };
}

const isBelow = (one: number, other: number): boolean => one * MOST_RATIO < other;
const isFarApart = (one: number, other: number): boolean => other - one >= LEAST_DIFFERENCE;

/** No vendor reads nothing, and an answer with words in it has used something. */
function unsaid({ usage, text, toolCalls }: GenerateResponse): readonly ('input' | 'output')[] {
  const isOutputUnsaid = usage.output <= 0 && (text !== '' || toolCalls.length > 0);
  return [...(usage.input <= 0 ? (['input'] as const) : []), ...(isOutputUnsaid ? (['output'] as const) : [])];
}

const withoutMark = ({ input, output, cached, cacheWrite }: Usage): Usage => ({ input, output, cached, cacheWrite });

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const tokensOf = (value: unknown): number => Math.ceil(bytesOf(value) / BYTES_PER_TOKEN);

/**
 * Counts the bytes of a request as JSON, its messages in the form that is given. System prompt, tools and messages stay the
 * same objects from call to call, so each is written once however many requests it is part of.
 */
export function requestBytes(form: (message: ModelMessage) => unknown) {
  const counted = new WeakMap<object, number>();
  const once = <Part extends object>(part: Part, as: (part: Part) => unknown): number => {
    const known = counted.get(part);
    if (known !== undefined) return known;
    const bytes = bytesOf(as(part));
    counted.set(part, bytes);
    return bytes;
  };
  return ({ system, tools, messages }: Pick<GenerateRequest, 'system' | 'tools' | 'messages'>): number =>
    bytesOfList([
      once(system, itself),
      once(tools, itself),
      bytesOfList(messages.map((message) => once(message, form))),
    ]);
}

const itself = <Part>(part: Part): Part => part;

/** Of a list of which each part takes so many: the brackets, and a comma between two. */
const bytesOfList = (parts: readonly number[]): number =>
  parts.reduce((sum, bytes) => sum + bytes, 2 + Math.max(0, parts.length - 1));

const bytesInWords = requestBytes(inWords);

function inputTokens(request: GenerateRequest): number {
  const images = request.messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return Math.ceil(bytesInWords(request) / BYTES_PER_TOKEN) + images * IMAGE_TOKENS;
}

const outputTokens = ({ text, toolCalls }: GenerateResponse): number =>
  text === '' && toolCalls.length === 0
    ? 0
    : tokensOf([
        text,
        toolCalls.map(({ name, arguments: given, rawArguments }) => [name, rawArguments ?? given ?? {}]),
      ]);

const imagesIn = (message: ModelMessage): number =>
  message.role === 'user' ? message.content.filter(({ type }) => type === 'image').length : 0;

const hasImages = ({ messages }: GenerateRequest): boolean => messages.some((message) => imagesIn(message) > 0);

/** Thoughts that only their vendor can read stand in another form than they are counted in. */
function inWords(message: ModelMessage): unknown {
  if (message.role === 'user') return message.content.filter(({ type }) => type === 'text');
  return message.role === 'assistant' ? [message.text, message.toolCalls] : message.results;
}
