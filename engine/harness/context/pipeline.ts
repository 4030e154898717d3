import type { ModelMessage, Resolved, ResolverCapabilities, ResolverCapabilityName, ResolverInput } from '#contract';
import { asEngine } from '../../extensions/guard/guard.ts';
import type { RegisteredResolver, Registry } from '../../extensions/types.ts';
import { capabilitiesFor, only } from '../../extensions/uses.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import type { ResolverCall } from './config.ts';
import { type Began, type Span, timedLook } from './parts.ts';

export interface Context {
  /** The byte-stable prefix, in the profile's order. */
  readonly systemSections: readonly string[];
  readonly history: readonly ModelMessage[];
  /** The volatile sections, in order: the mail as later runs are shown it, too. */
  readonly metadata: readonly string[];
  /** What is told behind it in this run alone. */
  readonly brief: readonly string[];
  /** Those that stand beside it in this run alone. */
  readonly once: readonly { readonly resolver: string; readonly text: string }[];
  /** Parts that failed, in words for the model. */
  readonly limitations: readonly string[];
  readonly parts: readonly {
    readonly resolver: string;
    readonly slot: string;
    readonly chars: number;
    readonly error?: string;
  }[];
  readonly spans: readonly Span[];
}

/** What resolvers are given, but for what each has of its own. */
type InputOfAll = Omit<ResolverInput, 'argument' | 'config' | 'secrets'>;

/** What a resolver has that does not say what it uses. */
const ALWAYS: readonly ResolverCapabilityName[] = ['readFile', 'listFiles', 'history'];

/**
 * Runs the profile's resolvers side by side, each under its own deadline, and puts what they return into its
 * slots in the profile's order. One that fails becomes a stated limitation, never a failed run.
 */
export async function resolveContext(options: {
  calls: readonly ResolverCall[];
  resolvers: Pick<Registry<RegisteredResolver>, 'get'>;
  input: InputOfAll;
  capabilities: ResolverCapabilities;
  began: Began;
}): Promise<Context> {
  const { calls, resolvers, began } = options;
  const input = withoutSecrets(options.input);
  const capabilities = asEngine(readingWithoutSecrets(options.capabilities));
  const settled = await Promise.all(
    calls.map(async (call) => {
      const work = () => resolveOne(call, resolvers.get(call.name), input, capabilities);
      const { span, result } = await timedLook({ name: nameOf(call), charsOf }, work, began);
      return { call, resolved: result, span, error: span.error };
    }),
  );
  const of = <Slot extends Resolved['slot']>(slot: Slot) =>
    settled.flatMap(({ call, resolved }) =>
      resolved?.slot === slot ? [{ call, resolved: resolved as Extract<Resolved, { slot: Slot }> }] : [],
    );
  return {
    systemSections: of('stable').map(({ resolved }) => resolved.text),
    history: of('history').flatMap(({ resolved }) => resolved.messages),
    metadata: of('volatile').flatMap(({ resolved }) => (resolved.once === true ? [] : [resolved.text])),
    brief: of('brief').map(({ resolved }) => resolved.text),
    once: of('volatile').flatMap(({ call, resolved: { text, once } }) =>
      once === true ? [{ resolver: nameOf(call), text }] : [],
    ),
    limitations: settled.flatMap(({ call, error }) =>
      error === null ? [] : [`The context part "${call.name}" could not be loaded.`],
    ),
    parts: settled.map(({ call, resolved, error }) => ({
      resolver: nameOf(call),
      slot: slotOf(resolved),
      chars: resolved ? charsOf(resolved) : 0,
      ...(error === null ? {} : { error }),
    })),
    spans: settled.map(({ span }) => span),
  };
}

const slotOf = (resolved: Resolved | null): string =>
  resolved?.slot === 'volatile' && resolved.once === true ? 'once' : (resolved?.slot ?? 'none');

const nameOf = ({ name, argument }: ResolverCall): string => (argument === null ? name : `${name}(${argument})`);

const charsOf = (resolved: Resolved): number => ('text' in resolved ? resolved.text.length : 0);

async function resolveOne(
  call: ResolverCall,
  resolver: RegisteredResolver | undefined,
  input: InputOfAll,
  capabilities: ResolverCapabilities,
): Promise<Resolved | null> {
  if (!resolver) throw new Error(`no resolver is named ${call.name}`);
  const { definition, config, manifest } = resolver;
  const own = { argument: call.argument, config, secrets: resolver.secrets() };
  const names = capabilitiesFor(definition.uses, manifest.capabilities ?? [], ALWAYS);
  const resolved = await definition.resolve({ ...input, ...own }, only(capabilities, names));
  // What stands there is trusted as the owners' words are, and anybody may have written what a search finds.
  if (resolved?.slot === 'stable' && names.includes('search')) {
    throw new Error('a resolver that searches mail has no place in the stable part');
  }
  return resolved;
}

/**
 * The mail and the files as resolvers get them: without what looks like a key. Here and not in each resolver, so that
 * none can forget it; and before they fence anything, because a key may reach from one text into the next.
 */
function withoutSecrets<Input extends Pick<ResolverInput, 'message'>>(input: Input): Input {
  const { message } = input;
  let hidden = false;
  const hide = (text: string): string => {
    const open = hideDisguised(text);
    hidden ||= open !== text;
    return open;
  };
  const without = {
    ...message,
    subject: hide(message.subject),
    from: hide(message.from),
    fromName: hide(message.fromName),
    answers: message.answers === null ? null : hide(message.answers),
    pieces: message.pieces.map(({ kind, text }) => ({ kind, text: hide(text) })),
    newText: hide(message.newText),
    quotedText: hide(message.quotedText),
    forwardedText: hide(message.forwardedText),
    attachments: message.attachments.map(hide),
    ...(message.open && { open: message.open.map(hide) }),
    ...(message.waiting && { waiting: message.waiting.map(hide) }),
    ...(message.attachmentTexts && {
      attachmentTexts: message.attachmentTexts.map((file) => ({ ...file, text: hide(file.text) })),
    }),
    limitations: message.limitations.map(hide),
  };
  return {
    ...input,
    // Told nothing, a model answers that the sender wrote "[REDACTED]".
    message: hidden ? { ...without, limitations: [...without.limitations, HIDDEN] } : without,
  };
}

const HIDDEN = 'what looked like a key or password was hidden from you by the gateway: [REDACTED] stands there';

const readingWithoutSecrets = (capabilities: ResolverCapabilities): ResolverCapabilities => ({
  ...capabilities,
  readFile: async (path) => {
    const text = await capabilities.readFile(path);
    return text === null ? null : hideDisguised(text);
  },
  knowledge: {
    ...capabilities.knowledge,
    whole: async () => {
      const whole = await capabilities.knowledge.whole();
      return { ...whole, texts: whole.texts?.map((file) => ({ ...file, text: hideDisguised(file.text) })) ?? null };
    },
    find: async (wanted) =>
      (await capabilities.knowledge.find(wanted)).map((hit) => ({ ...hit, snippet: hideDisguised(hit.snippet) })),
    read: async (ids) => {
      const { sections, gone } = await capabilities.knowledge.read(ids);
      return { gone, sections: sections.map((one) => ({ ...one, text: hideDisguised(one.text) })) };
    },
  },
  search: async (asked) => {
    const found = await capabilities.search(asked);
    return found.map((mail) => ({
      ...mail,
      from: hideDisguised(mail.from),
      subject: hideDisguised(mail.subject),
      snippet: hideDisguised(mail.snippet),
    }));
  },
});
