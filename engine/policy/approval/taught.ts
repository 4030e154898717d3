import type { Json, Risk } from '#contract';
import { addressKey } from '../../mail/mime/address.ts';
import type { Likeness } from '../../storage/types/approvals.ts';
import { judge } from '../judges.ts';
import { forbiddenIn, isByRisk } from '../own-words/verdict.ts';
import type { PermissionQuestion } from '../permission.ts';
import { BY_STANDING } from '../standing-rules.ts';
import type { ToolFacts } from '../surface.ts';
import { valuesOfArguments } from '../values/argument-values.ts';
import { stringsOf } from '../values/provenance.ts';

// Which calls are so like one another that an owner's yeses to some may be one to all, by what tools declare. Pure.

/** Where a call that goes to nobody changes one thing that has a name. A task is done later, when nobody is asked. */
const NAMES_ITS_TARGET = /^(?:files|web):/;

/** By what a call is like others; null: no other can be told to be like it. */
export function likenessOf(call: {
  readonly tool: Pick<ToolFacts, 'name' | 'scope' | 'asks'>;
  /** What began its run; null: of it nothing is learned. */
  readonly kind: string | null;
  readonly recipients: readonly string[] | null;
  readonly targets: readonly string[];
}): Likeness | null {
  const { tool, kind, recipients, targets } = call;
  if (kind === null || tool.asks === true || tool.scope.startsWith('schedule:')) return null;
  const { name } = tool;
  if (recipients !== null && recipients.length > 0) {
    const keys = recipients.map(addressKey);
    const known = keys.filter((key) => key !== null);
    return known.length < keys.length ? null : { tool: name, kind, whom: sorted(known), target: null };
  }
  const [target, ...others] = sorted(targets);
  if (target === undefined || others.length > 0 || !NAMES_ITS_TARGET.test(tool.scope)) return null;
  return { tool: name, kind, whom: [], target };
}

const sorted = (all: readonly string[]): string[] => [...new Set(all)].toSorted();

/** Whether there is nothing in a call that is asked about each time: no file, no money, no key, and it destroys nothing. */
export function isPlain({ risk, args, hasFiles }: { risk: Risk; args: Json; hasFiles: boolean }): boolean {
  if (risk === 'destructive' || hasFiles) return false;
  // Read as a call that changes something and gets out, whatever it is: then the most is seen of it.
  const values = valuesOfArguments(args, { changes: true, connects: true });
  // What nobody has looked at may be anything.
  return !values.some(({ kind }) => kind === 'words') && forbiddenIn(values, stringsOf(args)) === null;
}

/** Whether a rule would let a call go that is asked about: nothing but its risk, and no value of others, is in the way. */
export function isForRiskAlone(asked: PermissionQuestion | undefined): boolean {
  if (asked === undefined || !isByRisk(asked.layers) || asked.values !== undefined) return false;
  const layers = [{ decision: 'allow' as const, by: BY_STANDING }, ...asked.layers];
  // A rule that lets a tool go by its name may let its keys be used after others' words were read; this one does not.
  const isExposed = asked.tainted && asked.secrets === true;
  return !isExposed && judge({ ...asked, layers }).verdict === 'allow';
}
