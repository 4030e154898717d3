import type { ContentPart, GenerateRequest, GenerateResponse, ModelInfo, ModelMessage, ToolSpec } from '#contract';
import { fitMessages } from './messages.ts';
import { fitPictures } from './pictures.ts';
import type { FitRules, LeftOut, Plainness } from './rules.ts';
import { type FittedTools, fitTools, withOwnKeys } from './tools.ts';

export interface Fitting {
  readonly rules: FitRules;
  readonly info: ModelInfo;
  readonly plain: Plainness;
  /** Of the tools that came with the gateway. */
  isOwn(tool: string): boolean;
  /** The message with the mail, which names what was left out. */
  readonly about: ModelMessage | undefined;
}

export interface Fitted {
  /** The very request where nothing had to be changed. */
  readonly request: GenerateRequest;
  readonly leftOut: readonly LeftOut[];
  /** The answer in the engine's own names. */
  restore(response: GenerateResponse): GenerateResponse;
}

/**
 * The one stage between engine and adapter: a request as this vendor takes it, by the rules of its manifest. What cannot
 * be sent is left out and named, to the model as well. Pure.
 */
export function fitRequest(request: GenerateRequest, fitting: Fitting): Fitted {
  const { rules, plain, info } = fitting;
  const tools = toolsOf(request.tools, fitting);
  const pictures = withPictures(request.messages, fitting);
  const leftOut = [...tools.leftOut, ...pictures.leftOut];
  const about = fitting.about ?? request.messages.findLast(({ role }) => role === 'user');
  const noted =
    leftOut.length === 0 ? pictures.messages : withNote(pictures.messages, request.messages, about, leftOut);
  const messages = fitMessages(noted, { rules, plain, names: tools.names });
  const system = request.system.every((text) => text.isWellFormed())
    ? request.system
    : request.system.map((text) => text.toWellFormed());
  const isSame = messages === request.messages && tools.tools === request.tools && system === request.system;
  // With as many tokens as the model can write the server decides by itself how many there is room for.
  const isMost = plain > 0 && (request.maxOutputTokens === null || request.maxOutputTokens >= info.max_output_tokens);
  const settings = isMost ? { maxOutputTokens: null, temperature: null } : plain > 0 ? { temperature: null } : {};
  return {
    request: isSame && plain === 0 ? request : { ...request, ...settings, system, tools: tools.tools, messages },
    leftOut,
    restore: (response) => restored(response, tools),
  };
}

/** By list of tools: a run sends the same one with each of its calls, and adapters keep what it reads as. */
const fittedTools = new WeakMap<readonly ToolSpec[], { readonly key: string; readonly fitted: FittedTools }>();

function toolsOf(tools: readonly ToolSpec[], { rules, plain, info, isOwn }: Fitting): FittedTools {
  const key = JSON.stringify([rules, plain, info.context_tokens]);
  const known = fittedTools.get(tools);
  if (known?.key === key) return known.fitted;
  const fitted = fitTools(tools, { rules, plain, contextTokens: info.context_tokens, isOwn });
  fittedTools.set(tools, { key, fitted });
  return fitted;
}

function withPictures(given: readonly ModelMessage[], { rules, plain, info }: Fitting) {
  const leftOut: LeftOut[] = [];
  let before = 0;
  const messages = given.map((message): ModelMessage => {
    if (message.role !== 'user' || !message.content.some(({ type }) => type === 'image')) return message;
    const fitted = fitPictures(message.content, { rules, plain, images: info.images, before });
    before = fitted.count;
    leftOut.push(...fitted.leftOut);
    return fitted.content === message.content ? message : { role: 'user', content: fitted.content };
  });
  return { messages: messages.every((message, at) => message === given[at]) ? given : messages, leftOut };
}

const MAX_NAMED = 20;

function withNote(
  messages: readonly ModelMessage[],
  before: readonly ModelMessage[],
  about: ModelMessage | undefined,
  leftOut: readonly LeftOut[],
): readonly ModelMessage[] {
  const at = about === undefined ? -1 : before.indexOf(about);
  const message = messages[at];
  if (message?.role !== 'user') return messages;
  const lines = leftOut.slice(0, MAX_NAMED).map(({ kind, name, why }) => `- the ${kind} ${name}: ${why}`);
  const more = leftOut.length > MAX_NAMED ? [`- and ${leftOut.length - MAX_NAMED} more`] : [];
  const text = ['Left out of what you were given, and not shown to you:', ...lines, ...more].join('\n');
  const note: ContentPart = { type: 'text', text };
  return messages.with(at, { role: 'user', content: [...message.content, note] });
}

function restored(response: GenerateResponse, { names, renamed }: FittedTools): GenerateResponse {
  if (names.size === 0 && renamed.size === 0) return response;
  const own = new Map([...names].map(([name, wire]) => [wire, name]));
  const toolCalls = response.toolCalls.map((call) => {
    const name = own.get(call.name) ?? call.name;
    const keys = renamed.get(name);
    return { ...call, name, arguments: keys === undefined ? call.arguments : withOwnKeys(call.arguments, keys) };
  });
  return { ...response, toolCalls };
}
