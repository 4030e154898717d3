import { EngineError } from '#contract';
import type { Clock } from '../../../lib/clock.ts';

/** The right to change the tokens of an account, of all processes; null: another one has it. It ends with the process. */
export type TryLock = (path: string) => { release(): void } | null;

const WAIT_MS = 30_000;
const LOOK_MS = 50;

/** Works alone on the tokens of an account. Throws `timeout` where another process does not let go of them. */
export async function withLock<Result>(
  { tryLock, clock }: { readonly tryLock: TryLock; readonly clock: Clock },
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const until = clock.now() + WAIT_MS; ; ) {
    const lock = tryLock(path);
    if (lock) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (clock.now() >= until) throw new EngineError('timeout', 'another process has been renewing the token for long');
    await clock.sleep(LOOK_MS);
  }
}
