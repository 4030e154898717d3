import type { PinnedPlaybook, PlaybookStep } from '../record/codec/playbook.ts';
import type { RunFrame } from '../record/settings.ts';

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

/** The frame of a run with what its playbook wants of the answer; nothing that it wants already is dropped. */
export function demanding(frame: RunFrame, playbook: PinnedPlaybook | null): RunFrame {
  const wanted = playbook === null || playbook.mode === 'assisted' ? [] : playbook.playbook.requires;
  if (wanted.length === 0) return frame;
  const { contract } = frame;
  return { ...frame, contract: { ...contract, contract: [...new Set([...contract.contract, ...wanted])] } };
}

const listed = (steps: readonly PlaybookStep[]): string =>
  steps.map(({ tool, arguments: args }, index) => `${index + 1}. ${tool} ${JSON.stringify(args)}`).join('\n');
