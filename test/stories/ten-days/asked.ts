import type { HeardRequest } from '../../fakes/model-script.ts';

/** A call that was made for this mail, with what became of it. */
export interface Step {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly ok: boolean;
  /** Nothing was done yet: somebody has to say yes first. */
  readonly waits: boolean;
  /** As it was shown to the model. */
  readonly said: string;
  readonly result: unknown;
}

/** What a model is asked, as one that is made for it would take it in. */
export interface Asked {
  readonly system: string;
  readonly tools: readonly string[];
  /** A mail or a task; null: something else, such as whether it is there. */
  readonly kind: 'mail' | 'task' | null;
  /** Address of the writer. */
  readonly from: string;
  readonly isOwner: boolean;
  readonly subject: string;
  /** Words of the mail itself, without what is quoted or forwarded. */
  readonly text: string;
  readonly forwarded: string;
  readonly steps: readonly Step[];
  /** What it was told after its last call, such as that an answer will not do. */
  readonly told: string;
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1]?.trim() ?? '';

export function askedBy({ body, view }: HeardRequest): Asked {
  const { messages } = body as { messages: readonly Message[] };
  const at = messages.findLastIndex((one) => one.role === 'user' && /About this (?:mail|task) /.test(textOf(one)));
  const prompt = at < 0 ? view.lastUser : textOf(messages[at] as Message);
  const about = prompt.slice(Math.max(0, prompt.lastIndexOf('About this ')));
  const after = at < 0 ? [] : messages.slice(at + 1);
  const fenced = (label: string) =>
    [...prompt.matchAll(new RegExp(`<${label}_[0-9a-f]+>\\n([\\s\\S]*?)\\n</${label}_`, 'g'))]
      .map(([, text = '']) => text)
      .join('\n');
  const isTask = about.startsWith('About this task');
  return {
    system: view.system,
    tools: view.tools,
    kind: at < 0 ? null : isTask ? 'task' : 'mail',
    from: found(about, /^From: .*?<?([^\s<>"]+@[^\s<>"]+)>?$/m),
    isOwner: /^Sender: .*owner/m.test(about),
    subject: found(about, /^(?:Subject|Task): "(.*)"$/m),
    text: fenced(isTask ? 'task' : 'new_text') || fenced('unknown_text'),
    forwarded: fenced('forwarded_text'),
    steps: stepsIn(after),
    told: after.at(-1)?.role === 'user' ? textOf(after.at(-1) as Message) : '',
  };
}

function stepsIn(messages: readonly Message[]): Step[] {
  const results = new Map(messages.map((one) => [one.tool_call_id, textOf(one)]));
  return messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ id, function: { name, arguments: given } }): Step => {
      const said = results.get(id) ?? '';
      const read = json(said) as { ok?: boolean; state?: string; result?: unknown } | null;
      const named = (json(given) ?? {}) as Record<string, unknown>;
      const waits = read?.state === 'waiting';
      return { name, arguments: named, ok: read?.ok !== false && !waits, waits, said, result: read?.result ?? null };
    }),
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Every text under this name, however deep. */
export function deep(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === name && typeof one === 'string' ? [one] : deep(one, name),
  );
}
