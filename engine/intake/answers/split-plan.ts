import type { Ids } from '../../lib/ids.ts';
import { sha256 } from '../../lib/ids.ts';
import { type Answer, readReply } from '../../mail/approval/approval-answer.ts';
import { membersOf } from '../../policy/batch.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';

/**
 * An owner may say yes to some calls of a plan that was put together from calls of one turn: "approve 1", "approve 1,
 * deny 2". It becomes as many items of the same notice then, and what the answer leaves out is denied, so that nothing of
 * it goes on waiting. Null where the answer is one to the plan as a whole.
 */
export async function splitIfWanted(
  { ids }: { readonly ids: Ids },
  store: Store,
  plan: Approval | undefined,
  answer: { readonly newText: string; readonly by: string; readonly now: number },
): Promise<({ readonly items: readonly Approval[] } & Chosen) | null> {
  const members = plan?.state === 'pending' ? membersOf(plan) : [];
  if (!plan || members.length === 0) return null;
  const chosen = chosenOf(answer.newText, members.length);
  if (chosen === null) return null;
  const items = members.map(
    (member, index): Approval => ({
      ...plan,
      id: ids.next(),
      call_id: member.callId,
      kind: 'call',
      tool: member.tool,
      arguments_json: member.argumentsJson,
      arguments_hash: sha256(member.argumentsJson),
      fingerprint: member.fingerprint,
      basis: member.basis,
      risk: member.risk,
      attached: [],
      number: index + 1,
      created_at: answer.now,
      updated_at: answer.now,
    }),
  );
  return (await store.splitApproval({ id: plan.id, by: answer.by }, items, answer.now)) ? { items, ...chosen } : null;
}

interface Chosen {
  readonly answer: Extract<Answer, { kind: 'mixed' }>;
  /** By which it was read. */
  readonly rules: readonly string[];
}

/** A yes to some and not to all; a no to one alone is a no to the plan, like a no to nothing in particular. */
function chosenOf(newText: string, count: number): Chosen | null {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const { answer: read, rules } = readReply(newText, numbers);
  const approve = read.kind === 'approve' ? read.items : read.kind === 'mixed' ? read.approve : [];
  if (approve.length === 0 || approve.length === count) return null;
  const deny = numbers.filter((number) => !approve.includes(number));
  const reason = read.kind === 'mixed' ? read.reason : null;
  return { answer: { kind: 'mixed', approve, deny, reason }, rules };
}
