import type { PinnedPlaybook, PlaybookStep } from '../record/codec/playbook.ts';
import type { Recorder } from '../record/recorder.ts';
import type { RunFrame } from '../record/settings.ts';
import type { SelectedPlaybook } from './select.ts';

/**
 * What a model is told of the playbook that its run works by; null: nothing. In mode `policy` the steps are made without
 * it, so it hears of the way of working alone. It is advice: no right follows from it.
 */
export function adviceOf({ kind, number, mode, playbook }: PinnedPlaybook): string | null {
  const { advice, steps } = playbook;
  const way = mode === 'policy' || steps.length === 0 ? '' : `Steps that have proved themselves:\n${listed(steps)}`;
  if (advice === '' && way === '') return null;
  const head = `## How mail of this kind is worked here (${kind}, version ${number})`;
  const foot = 'This is advice from earlier mail. Where this mail wants something else, do what this mail wants.';
  return [head, advice, way, foot].filter(Boolean).join('\n\n');
}

/** What comes of the playbook of a run in its prompt, its settings and its record. */
interface PlaybookAtWork {
  readonly pinned: PinnedPlaybook | null;
  readonly versionId: string | null;
  /** The last part of the prompt that stays the same from mail to mail. */
  readonly advice: readonly string[];
  readonly settings: { readonly playbook?: PinnedPlaybook };
  readonly events: readonly SelectedPlaybook['event'][];
}

export function atWork(chosen: SelectedPlaybook | null): PlaybookAtWork {
  const { pinned = null, versionId = null } = chosen ?? {};
  const advice = pinned && adviceOf(pinned);
  return {
    pinned,
    versionId,
    advice: advice ? [advice] : [],
    settings: pinned === null ? {} : { playbook: pinned },
    events: chosen === null ? [] : [chosen.event],
  };
}

export function putOnRecord(recorder: Pick<Recorder, 'event'>, { events }: PlaybookAtWork): void {
  for (const event of events) recorder.event('playbook_selected', event);
}

/** The frame of a run with what its playbook wants of the answer; nothing that it wants already is dropped. */
export function demanding(frame: RunFrame, playbook: PinnedPlaybook | null): RunFrame {
  const wanted = playbook === null || playbook.mode === 'assisted' ? [] : playbook.playbook.requires;
  if (wanted.length === 0) return frame;
  const { contract } = frame;
  return { ...frame, contract: { ...contract, contract: [...new Set([...contract.contract, ...wanted])] } };
}

const listed = (steps: readonly PlaybookStep[]): string =>
  steps.map(({ tool, arguments: args }, index) => `${index + 1}. ${tool} ${JSON.stringify(args)}`).join('\n');
