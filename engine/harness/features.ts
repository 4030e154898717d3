import type { Configs, Persona } from '../config/types.ts';
import type { Executable } from '../policy/call.ts';
import type { RunLog } from '../record/run-log.ts';
import type { PinnedSettings } from '../record/settings.ts';
import type { LoopState } from '../record/state.ts';
import type { TakenMail } from '../storage/ports/further-mail.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { Executed } from '../tools/observe/executed.ts';
import type { PrepareContext } from '../tools/prepare.ts';
import type { Hand } from '../tools/run-surface.ts';
import type { Shelf } from '../tools/shelf.ts';
import type { GatherPart } from './context/parts.ts';
import type { LoopRun } from './loop/loop-run.ts';
import type { endSilently } from './respond/respond.ts';

/** What features add to a run. Each list is gone through in its order. The runtime knows none of them by name. */
export interface Features {
  /** What a run has to work on, by which it is offered the tools that need it. */
  atHand(
    loaded: LoadedRun,
    around: Shelf & {
      readonly persona: Persona;
      readonly configs: Configs;
      readonly store: Pick<Store, 'pendingApprovals'>;
      calendarsOf(personaId: string): string;
    },
  ): Promise<Hand>;
  /** What stands in a prompt. */
  readonly parts: readonly GatherPart[];
  /** Asked once the prompt stands and before any model is: the first that finds that there is nothing to do ends the run. */
  readonly before: readonly BeforeRun[];
  /** What is around each call, innermost first. */
  readonly around: readonly Around[];
  /** What a later mail of the same sender may have that wants a run of its own. */
  readonly ownRun: readonly ((mail: TakenMail) => boolean)[];
  /** What is to be done once a run has answered. */
  readonly after: readonly AfterRun[];
}

/** The end of a run that needs no work, without a mail; null: it is worked. */
export type BeforeRun = (run: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Configs;
  readonly store: Store;
  /** It only carries out what was decided, or ends because it has failed too often. */
  readonly asksNoModel: boolean;
  /** What the loop would work with. */
  readonly loop: LoopRun;
  readonly now: number;
}) => Promise<Parameters<typeof endSilently>[1] | null>;

export interface Around {
  /** Whether it is around the calls of a run; absent: of each. */
  isFor?(run: { readonly settings: PinnedSettings; readonly state: LoopState }): boolean;
  /** What is asked of a call before it is made. */
  prepare?(
    prepare: PrepareContext,
    run: { readonly loaded: LoadedRun; readonly settings: PinnedSettings },
  ): PrepareContext;
  /** Makes a call. `make`: as it is made without this. */
  make?(run: {
    readonly loaded: LoadedRun;
    readonly store: Store;
    readonly state: LoopState;
    now(): number;
  }): (next: Executable, make: () => Promise<Executed>) => Promise<Executed>;
}

/** Jobs of the transaction that ends the run. */
export type AfterRun = (end: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Configs;
  readonly log: RunLog;
  /** Mails of the thread that the prompt did not show. */
  readonly omitted: number;
  readonly now: number;
}) => readonly NewJob[];
