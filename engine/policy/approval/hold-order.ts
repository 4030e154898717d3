import { type Executable, isExecutable, type Prepared } from '../call.ts';
import { AFTER_FAILURE, skipped } from '../skipped.ts';

/**
 * Which calls of a turn wait. What policy lets run does so also beside a call that an owner is asked about, unless it
 * would change what that call changes: then it comes after it, as the model had it. After a refusal nothing that
 * changes something is asked for.
 */
export function holdInOrder(prepared: readonly Prepared[]): readonly Prepared[] {
  const held: Executable[] = [];
  let failed = false;
  let asking = false;
  return prepared.map((next) => {
    if (!isExecutable(next)) {
      failed = true;
      return next;
    }
    if (next.risk === 'read' || !(next.verdict === 'needs_approval' || dependsOn(next, held))) return next;
    if (failed) return skipped(next.call, AFTER_FAILURE);
    const asks = next.tool.definition.asks !== undefined;
    if (asking && !asks) return skipped(next.call, 'wait for the owner’s answer first, then ask again for this one');
    asking ||= asks;
    const waiting = { ...next, verdict: 'needs_approval' as const };
    held.push(waiting);
    return waiting;
  });
}

/** Whether a call would change something that a call before it is to change. What names no target may change anything. */
export function dependsOn({ targets }: Pick<Executable, 'targets'>, held: Iterable<Pick<Executable, 'targets'>>) {
  const own = thingsOf(targets);
  for (const earlier of held) {
    const others = thingsOf(earlier.targets);
    if (own === null || others === null || [...own].some((one) => others.has(one))) return true;
  }
  return false;
}

/** Null where nobody knows: no target at all, or a whole folder. */
function thingsOf(targets: readonly string[]): ReadonlySet<string> | null {
  if (targets.length === 0 || targets.some((target) => /(?:^|\/)$/.test(target.trim()))) return null;
  return new Set(targets.map(plain));
}

/** `./Notes//a.md` is `notes/a.md`: rather the same once too often. */
const plain = (target: string): string =>
  target
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** How many different things calls name. */
export const thingsIn = (calls: readonly Pick<Executable, 'targets'>[]): number =>
  new Set(calls.flatMap(({ targets }) => targets.map(plain))).size;
