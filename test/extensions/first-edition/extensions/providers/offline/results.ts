import type { ModelMessage, ToolResult } from '#contract';

/**
 * The results of the calls of this run; undefined while it has not made any. Our own mark on an assistant message
 * tells this run from history; calls that another provider made before it failed stand after the last mail.
 */
export function resultsOfRun(messages: readonly ModelMessage[], provider: string): ToolResult[] | undefined {
  const ours = messages.findIndex(
    (message) => message.role === 'assistant' && message.providerParts?.provider === provider,
  );
  const lastMail = messages.findLastIndex((message) => message.role === 'user' && !isNote(message));
  const run = messages.slice(ours >= 0 ? ours : lastMail + 1);
  const results = run.flatMap((message) => (message.role === 'tool' ? message.results : []));
  return ours >= 0 || results.length > 0 ? results : undefined;
}

/** The gateway's word on an answer of another provider that it held back: no mail, so what came before it still counts. */
const isNote = ({ content }: Extract<ModelMessage, { role: 'user' }>): boolean =>
  content.some((part) => part.type === 'text' && part.text.startsWith('[note of the mail gateway'));
