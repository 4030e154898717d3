import { EngineError, type GenerateRequest, type GenerateResponse, type ModelInfo, type ModelMessage } from '#contract';
import { withDeadline } from '../../lib/deadline.ts';
import { sha256 } from '../../lib/ids.ts';
import { openEndOf } from '../../lib/text/open-end.ts';
import { repetitionIn } from '../../lib/text/repetition.ts';
import { requestBytes } from '../../models/answers/usage.ts';
import { waitsForMoney } from '../../models/budget-window.ts';
import { billed, bookedPrice, priceAt, priceOf } from '../../models/cost.ts';
import type { Fitted } from '../../models/fitting/fit.ts';
import { capableFrom } from '../../models/targets.ts';
import { assertPriced } from '../../models/unpriced.ts';
import { asProviderError } from '../../models/whose.ts';
import { surfaceOf } from '../../policy/surface.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import { ANSWER, answerIn } from '../../record/declared.ts';
import { saidWhole } from '../../record/gone-on.ts';
import type { Target } from '../../record/settings.ts';
import type { Reserved } from '../../storage/types/budget.ts';
import { fitObservations, roomFor } from '../../tools/observe/observe.ts';
import { withNames } from '../evidence/cited.ts';
import { wordsOf } from '../evidence/gate.ts';
import { isCapable, type ModelOutcome, recordFailure, targetsOf } from './failed-call.ts';
import type { LoopRun } from './loop-run.ts';

const IN_USE_WAIT_MS = 1000;

/** One model call: committed as started, made once, committed as ended together with whatever follows. */
export async function callModel(run: LoopRun): Promise<ModelOutcome> {
  const target = pickTarget(run);
  if (!target) {
    const code = run.state.lastProviderCode ?? 'unavailable';
    return { kind: 'event', event: { type: 'provider_exhausted', code } };
  }
  const { request: wanted, compacted } = buildRequest(run, target);
  const reserved = await reserve(run, target, wanted);
  // What other runs have set aside comes back when their calls end, mostly unspent.
  if (reserved === 'in_use') return { kind: 'wait', until: run.clock.now() + IN_USE_WAIT_MS };
  if (reserved !== null && 'spent' in reserved) {
    if (waitsForMoney(run.state, reserved.spent)) return { kind: 'defer', code: 'budget', limit: reserved.spent };
    run.recorder.found({ kind: 'budget_spent', limit: reserved.spent });
    return { kind: 'event', event: { type: 'observed' } };
  }
  const request = reserved === null ? wanted : { ...wanted, maxOutputTokens: reserved.outputTokens };
  const call = run.state.modelCalls + run.state.providerFailures + 1;
  const fitted = run.models.fit?.(target, request, { plain: run.state.plain, about: run.prompt.userBlock });
  run.recorder.event('model_call_started', {
    call,
    ...target,
    surface: surfaceOf(request.tools).fingerprint,
    tool_choice: request.toolChoice,
    messages: request.messages.length,
    max_output_tokens: request.maxOutputTokens,
    model_info: modelFacts(run.models.info(target)),
    request: markOf(request, run.prompt.userBlock),
    ...(reserved === null ? {} : { reserved_usd: reserved.usd, capped: reserved.capped }),
    ...(compacted === 0 ? {} : { fitted: compacted }),
    ...leftOutOf(fitted),
    ...fewerTools(run),
    ...(run.state.targets === null ? {} : { targets: run.state.targets }),
  });
  await run.recorder.commit({ provider: target.provider, model: target.model });
  run.pass(run.state.toolTurns > 0 ? 'run.step_committed' : 'run.context_committed');
  const startedAt = run.clock.now();
  try {
    const response = await generate(run, target, { request, fitted });
    run.answered(target);
    run.pass('run.model_replied');
    return { kind: 'event', event: await recordResponse(run, target, response, run.clock.now() - startedAt) };
  } catch (error) {
    if (run.signal.aborted) throw error;
    return recordFailure(run, { target, request, error: asProviderError(error), ms: run.clock.now() - startedAt });
  }
}

/** What the model's vendor does not take. */
const leftOutOf = (fitted: Fitted | undefined) =>
  fitted === undefined || fitted.leftOut.length === 0 ? {} : { left_out: fitted.leftOut };

/** Said only where rights were taken away since the run began: the tools that are left. */
const fewerTools = ({ settings: { tools, pinned = tools } }: LoopRun) =>
  (pinned ?? tools).length === tools.length ? {} : { tools: tools.map(({ name }) => name) };

/** What of a model had a say in the request. */
const modelFacts = ({ context_tokens, max_output_tokens, tools }: ModelInfo) => ({
  context_tokens,
  max_output_tokens,
  tools,
});

/** The target in turn; one that rests is passed over while a later one does not. */
function pickTarget(run: LoopRun): Target | undefined {
  const { models, clock } = run;
  const rest = remaining(run, run.state.target);
  return rest.find(({ provider }) => !models.cooldowns.isResting(provider, clock.now())) ?? rest[0];
}

const remaining = (run: LoopRun, from: number): readonly Target[] =>
  capableFrom(targetsOf(run), from, (target) => isCapable(run, target)).map(({ target }) => target);

function buildRequest(run: LoopRun, target: Target): { request: GenerateRequest; compacted: number } {
  const { settings, prompt, state, recorder, models } = run;
  const { messages: fitted, compacted } = fitObservations(state.messages, {
    room: roomFor(models.info(target)),
    rescue: state.compacted,
  });
  const named = settings.limits.cites === true ? withNames(fitted, state.messages) : fitted;
  const own = named.map((message) => forTarget(message, target));
  const history = state.compacted ? [] : prompt.history;
  const request = {
    model: target.model,
    system: settings.system,
    messages: [...history, prompt.userBlock, ...own],
    tools: settings.tools,
    toolChoice: state.lastCall === null && settings.tools.length > 0 ? ('auto' as const) : ('none' as const),
    maxOutputTokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    cacheKey: recorder.threadId,
    input: { text: `${prompt.inputText}${state.furtherWords}` },
  };
  return { request, compacted };
}

/** A vendor's own parts mean nothing to another vendor, and are refused by another model. */
function forTarget(message: ModelMessage, target: Target): ModelMessage {
  if (message.role !== 'assistant' || !message.providerParts) return message;
  const { provider, model } = message.providerParts;
  if (provider === target.provider && model === target.model) return message;
  return { role: 'assistant', text: message.text, toolCalls: message.toolCalls };
}

async function generate(
  run: LoopRun,
  target: Target,
  { request, fitted }: { request: GenerateRequest; fitted: Fitted | undefined },
): Promise<GenerateResponse> {
  assertPriced(target, { info: run.models.info(target), prices: run.prices, allowed: run.allowUnpriced });
  const adapter = await run.models.adapter(target.provider);
  const { model_timeout_s, run_timeout_s } = run.settings.limits;
  const response = await withDeadline((signal) => adapter.generate(fitted?.request ?? request, { signal }), {
    // An answer after the run's own time could not be used any more. Timers may be a little early, the rule is exact.
    ms: Math.min(model_timeout_s * 1000, Math.max(0, run_timeout_s * 1000 - run.recorder.activeMs()) + 5),
    code: 'timeout',
    what: `${target.provider}/${target.model}`,
    parent: run.signal,
  });
  const ids = response.toolCalls.map(({ id }) => id);
  // Results are matched by id; two calls under one id could never both be answered.
  if (new Set(ids).size < ids.length)
    throw new EngineError('unparsable', 'two tool calls share one id', { usage: response.usage });
  return fitted?.restore(response) ?? response;
}

async function recordResponse(
  run: LoopRun,
  target: Target,
  response: GenerateResponse,
  ms: number,
): Promise<LoopEvent> {
  const { usage, text, toolCalls, finish, providerParts } = response;
  // A refusal is all that is meant to be said, wherever it breaks off.
  const whole = finish === 'refusal' || saidWhole(response);
  const info = run.models.info(target);
  const known = priceOf(target, info, run.prices);
  const cost = billed(response, { known, booked: bookedPrice(target, info, run.prices) });
  const isPriced = response.reportedCostUsd !== null || known !== null;
  const { begunText, begunOpen } = run.state;
  run.recorder.event('model_call_ended', {
    ok: true,
    ...target,
    response: { text, toolCalls, finish, whole, ...markupIn(response), providerParts, usage, ...basisIn(response) },
    cost_usd: cost,
    ...(isPriced || cost === null ? {} : { price: 'estimated' as const }),
    ms,
  });
  run.recorder.spend(usage, cost, { usage: response.usageBasis === 'estimated', price: !isPriced });
  if (finish === 'refusal') return { type: 'refusal' };
  if (isBrokenMarkup(response)) return { type: 'unparsable', why: 'markup' };
  if (isStuck(run, response)) return { type: 'unparsable', why: 'repeats' };
  if (!whole) return cutAnswer(run, response);
  // The calls are in `state.pending` by the event on record.
  if (toolCalls.length > 0 && !(run.state.declared && mayAnswer(run))) return { type: 'calls', verdicts: [] };
  return finalAnswer(run, text, { begunText, begunOpen });
}

/** The whole of it: with what an answer that broke off had said before. `begun`: that, before this one came. */
function finalAnswer(run: LoopRun, text: string, begun: Pick<LoopRun['state'], 'begunText' | 'begunOpen'>): LoopEvent {
  const { declared, lastText } = run.state;
  const final = { type: 'final', whole: true, asks: declared?.question ?? false } as const;
  const isSilent = (declared?.text ?? text).trim() === '';
  if (declared !== null && !isSilent) return { ...final, text: declared.text };
  // It was asked to go on where its answer had broken off, and has said nothing or the same again: the first part is the answer.
  if (begun.begunOpen && (isSilent || lastText.trim() === begun.begunText.trim())) return { ...final, text: lastText };
  if (isSilent) return run.maySayNothing ? { ...final, text } : { type: 'unparsable', why: 'blank' };
  return { ...final, text: lastText, ...(isOpenEnd(run, lastText) ? { open: true } : {}) };
}

/** Some servers call an answer whole that they have cut; an open fence shows it, whatever they say. */
const isOpenEnd = ({ settings }: LoopRun, text: string): boolean =>
  settings.limits.open_ends === true && openEndOf(text) !== null;

const basisIn = ({ usageBasis, usageSaid }: GenerateResponse) => ({
  ...(usageBasis === undefined ? {} : { usageBasis }),
  ...(usageSaid === undefined ? {} : { usageSaid }),
});

const markupIn = ({ markup = 'none' }: GenerateResponse) => (markup === 'none' ? {} : { markup });

/** A text that begins or ends within thinking or a raw call is no answer, and no call was made of it. */
const isBrokenMarkup = ({ markup }: GenerateResponse): boolean =>
  markup === 'reasoning' || markup === 'call' || markup === 'unclear';

/** It says the same words again and again, which nobody and nothing here has written. */
function isStuck({ state, prompt }: LoopRun, { toolCalls, text }: GenerateResponse): boolean {
  const row = repetitionIn(answerIn(toolCalls)?.text ?? (toolCalls.length === 0 ? text : ''));
  if (row === null) return false;
  const read = [...prompt.history, prompt.userBlock, ...state.messages].map(readIn);
  return !read.some((words) => words.replaceAll(/\s+/g, ' ').includes(row.piece));
}

/** What a model was shown by that message of the words of others. */
const readIn = (message: ModelMessage): string =>
  message.role === 'tool'
    ? message.results.map(({ content }) => content).join('\n')
    : message.role === 'user'
      ? wordsOf(message)
      : '';

/** What broke off may hold calls in any state of being written: none of them is made. */
function cutAnswer({ state }: LoopRun, { toolCalls, text }: GenerateResponse): LoopEvent {
  if (state.begunText.trim() !== '' && (toolCalls.length === 0 || answerIn(toolCalls) !== null))
    return { type: 'final', text: state.begunText, whole: false, asks: false };
  return toolCalls.length > 0 || text.trim() !== '' ? { type: 'cut_calls' } : { type: 'unparsable', why: 'blank' };
}

/** Whether the model of this run was shown the tool that ends it. */
const mayAnswer = ({ settings }: LoopRun): boolean => settings.tools.some(({ name }) => name === ANSWER);

/** With less room for its answer than this a call is not worth its input: thinking alone may take as much. */
export const LEAST_OUTPUT_TOKENS = 4096;
/** Vendors bill an image between about 250 and 1,600 tokens. */
const IMAGE_TOKENS = 1600;

/**
 * Sets the most that this call can cost aside: its input, and as many tokens of output as are granted. Null where
 * no budget limits the persona. What is granted has to be what the vendor is asked for.
 */
async function reserve(run: LoopRun, target: Target, request: GenerateRequest): Promise<Reserved | null> {
  const { budget, models, prices } = run;
  if (budget.usd_per_run === null && budget.usd_per_day === null && budget.tokens_per_run === null) return null;
  const info = models.info(target);
  const inputTokens = inputTokensAtMost(request);
  const price = priceAt(bookedPrice(target, info, prices) ?? { input: 0, output: 0 }, inputTokens);
  const outputTokens = request.maxOutputTokens ?? info.max_output_tokens;
  const dearest = Math.max(price.input, price.cache_write ?? 0);
  return run.store.reserveBudget(
    {
      runId: run.recorder.runId,
      day: run.day,
      inputTokens,
      inputUsd: (inputTokens * dearest) / 1_000_000,
      usdPerOutputToken: price.output / 1_000_000,
      outputTokens,
      leastOutputTokens: Math.min(LEAST_OUTPUT_TOKENS, outputTokens),
      ...(run.treeBudget === null ? {} : { tree: run.treeBudget }),
    },
    budget,
  );
}

/** Hardly any text has more than a token in two bytes; what was too much comes back with the answer. */
function inputTokensAtMost(request: GenerateRequest): number {
  const images = request.messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return Math.ceil(bytesWithoutImages(request) / 2) + images * IMAGE_TOKENS;
}

const imagesIn = (message: ModelMessage): number =>
  message.role === 'user' ? message.content.filter(({ type }) => type === 'image').length : 0;

const withoutImages = (message: ModelMessage): unknown =>
  message.role === 'user' ? message.content.filter(({ type }) => type !== 'image') : message;

const bytesWithoutImages = requestBytes(withoutImages);

/**
 * What a model was asked, as hashes: the same mark means the same request to the byte, and its parts say where two
 * requests begin to differ. Kept instead of the request, which can be made anew from what is stored anyway.
 */
interface RequestMark {
  readonly sha256: string;
  /** System prompt and tools. */
  readonly prefix: string;
  readonly history: string;
  /** The last user block: the mail, with its facts and notes. */
  readonly mail: string;
  /** The run's own turns, as they were sent. */
  readonly turns: string;
}

/** Messages stay the same objects from call to call, so each is hashed once however many requests it is part of. */
const hashes = new WeakMap<object, string>();

function hashOf(part: object): string {
  const known = hashes.get(part);
  if (known !== undefined) return known;
  const hash = sha256(JSON.stringify(part));
  hashes.set(part, hash);
  return hash;
}

const hashOfAll = (parts: readonly object[]): string => sha256(parts.map(hashOf).join());

/** `mail` is the message of the request that holds the mail being answered. */
function markOf(request: GenerateRequest, mail: ModelMessage): RequestMark {
  const { system, tools, messages, ...settings } = request;
  const at = messages.indexOf(mail);
  const parts = {
    prefix: hashOfAll([system, tools]),
    history: hashOfAll(messages.slice(0, at)),
    mail: hashOf(mail),
    turns: hashOfAll(messages.slice(at + 1)),
  };
  const whole = sha256(JSON.stringify([settings, parts]));
  return {
    sha256: whole,
    prefix: short(parts.prefix),
    history: short(parts.history),
    mail: short(parts.mail),
    turns: short(parts.turns),
  };
}

const short = (hash: string): string => hash.slice(0, 16);
