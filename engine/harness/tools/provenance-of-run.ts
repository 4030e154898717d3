import type { Persona } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import type { LoadedRun, Store } from '../../storage/store.ts';
import type { PinnedSettings, Prompt } from '../loop/loop-run.ts';
import type { LoopState } from '../loop/state.ts';
import { createProvenance, ownersWords, type Provenance } from '../policy/provenance.ts';
import { factsOf } from '../policy/surface.ts';
import { segmentsOf } from './capabilities/files-path.ts';

/** What a run that is under way was shown, and by whose word it works. */
export interface Reading {
  readonly loaded: Pick<LoadedRun, 'task' | 'approvals'>;
  readonly settings: Pick<PinnedSettings, 'system' | 'tools' | 'pinned'>;
  readonly prompt: Pick<Prompt, 'shown'>;
  readonly state: Pick<LoopState, 'messages' | 'outcomes' | 'exposed'>;
}

/** Trusted are the owners' texts and the configuration, and whom an owner put on the thread. */
export function provenanceOfRun(
  { loaded, settings, prompt, state }: Reading,
  around: {
    readonly persona: Persona;
    readonly known: Iterable<string>;
    readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
    readonly store: Pick<Store, 'madeFileHash'>;
  },
): Provenance {
  const { persona, known, tools, store } = around;
  const { task, approvals } = loaded;
  const people = [persona.address, ...persona.aliases, ...persona.owners, ...known, ...(task?.deliver ?? [])];
  return createProvenance({
    trusted: [
      ...settings.system,
      people.join('\n'),
      JSON.stringify(task?.condition ?? null),
      ...ownersWords(approvals),
    ],
    shown: prompt.shown,
    state,
    factsOf: (name) => {
      const tool = tools.get(name);
      return tool ? factsOf(tool) : null;
    },
    wroteFile: async (path) => {
      const clean = cleanPath(path);
      return clean !== null && (await store.madeFileHash(clean)) !== null;
    },
  });
}

/** As the files themselves read it; null for what names no file. */
function cleanPath(path: string): string | null {
  try {
    return segmentsOf(path).join('/');
  } catch {
    return null;
  }
}
