import type { Extensions } from '../extensions/types.ts';
import { DELEGATE } from '../policy/delegated.ts';
import { shownIn } from '../record/codec/observation.ts';
import type { LoopState } from '../record/state.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import { mayBringCalendar } from '../tools/calendar/meetings.ts';

/**
 * Whether the run has read what somebody else wrote: pages, mail, attachments; what the sender forwarded is that, too,
 * from the beginning. An error can quote them; of a tool that has left the registry nobody knows what it read.
 */
export function isTainted({ outcomes }: LoopState, { tools }: Pick<Extensions, 'tools'>): boolean {
  return outcomes.some(({ ok, code, tool, made }) => {
    if (tool === DELEGATE && made && saysTainted(made.content)) return true;
    const { source, definition } = tools.get(tool) ?? {};
    const isForeign = source?.isForeign === true || /^(web|mail):read$/.test(definition?.scope ?? 'web:read');
    // What a server's schema has against arguments quotes that schema.
    const isQuoted =
      code === 'tool_failed' || code === 'invalid_result' || (code === 'invalid_arguments' && source?.isForeign);
    return (ok || isQuoted) && isForeign;
  });
}

/** A child run has read words of others, or was handed some. */
function saysTainted(content: string): boolean {
  const { result } = shownIn(content);
  return typeof result === 'object' && result !== null && Reflect.get(result, 'tainted') === true;
}

/** What a mail forwards, in its text or as a file, and a calendar that came with it are a third party's words, whoever sent them on. */
export const bringsOthersWords = ({ message, attachments }: LoadedRun): boolean =>
  message.forwarded_text !== '' || attachments.some(mayBringCalendar);
