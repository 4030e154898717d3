import { UNNAMED } from '../../mail/identity/border/results-header.ts';
import { isPassed, type PresentBorder, type Tested, type Travelled } from './trial.ts';

/** What a trial found wrong, and what to do about it. */
interface Finding {
  /** A sentence without its full stop. */
  readonly cause: string;
  readonly cure: string;
  /** False: nothing is wrong, and somebody may want to know. */
  readonly isFailure: boolean;
}

const CHECKED_HERE = 'signatures (DKIM) are then checked here';

/** `mx.example.com`, or what stands for a border without a name. Pure. */
const called = (authservId: string): string =>
  authservId === UNNAMED ? 'the server, which writes no name before its verdicts,' : authservId;

/** For people: why a border is not written, or would not be any more. Pure. */
export function findingsOf({
  border,
  tested,
  open,
  unproving,
  senderIsProven,
  present,
}: Travelled): readonly Finding[] {
  const { authservId } = border;
  return [
    ...(authservId !== null && open.length > 0 ? [openServer(authservId, open)] : []),
    ...(authservId !== null && tested !== null ? deceived(authservId, tested) : []),
    ...(!senderIsProven && unproving.length > 0 ? [provesNothing(unproving)] : []),
    ...(present === null ? [] : ofPresent(present, unproving)),
  ];
}

const openServer = (authservId: string, open: readonly string[]): Finding => ({
  cause: `${open.join(', ')} takes mail from outside, too: with it in trusted_received a verdict of ${authservId} that came with such mail would be believed`,
  cure: `leave authserv_id out: ${CHECKED_HERE}; or let that server take such headers out`,
  isFailure: true,
});

function deceived(authservId: string, { forged, hostile }: Tested): readonly Finding[] {
  const found: Finding[] = [];
  if (forged === 'believed') {
    found.push({
      cause: `a forged Authentication-Results of ${called(authservId)} that came with the mail was let through, so whoever writes one could pass for anybody`,
      cure: `leave authserv_id out: ${CHECKED_HERE}; or let the server take such headers out`,
      isFailure: true,
    });
  }
  if (hostile === 'believed') {
    found.push({
      cause: `an envelope sender with brackets made ${called(authservId)} say what it has not seen, so whoever uses one could pass for anybody`,
      cure: `leave authserv_id out: ${CHECKED_HERE}; or let the server refuse such senders, and tell who makes its filter`,
      isFailure: true,
    });
  }
  return found;
}

function provesNothing(names: readonly string[]): Finding {
  const isUnnamed = names.includes(UNNAMED);
  const outside = isUnnamed
    ? `where such a verdict proves mail from outside (as at Microsoft 365), set authserv_id to "${UNNAMED}" by hand`
    : 'where it proves mail from outside, set authserv_id to that name by hand';
  const which = isUnnamed ? '' : ` (${names.join(', ')})`;
  return {
    cause: `its server writes a verdict${which} into mail, and it does not prove that this mail is of the mailbox itself, so nothing was learned`,
    cure: `without one, signatures (DKIM) are checked here; ${outside}, see docs/mailbox.md`,
    isFailure: false,
  };
}

function ofPresent({ authservId, isNoName, isProving, tested }: PresentBorder, unproving: readonly string[]) {
  if (isNoName) {
    return [
      {
        cause: `authserv_id is ${JSON.stringify(authservId)}, which is no name of a border, so nobody is proven`,
        cure: `take it out of configs/gateway.json: ${CHECKED_HERE}; for a server that writes no name set "${UNNAMED}"`,
        isFailure: true,
      },
    ];
  }
  const found = tested === null ? [] : deceived(authservId, tested);
  if (found.length > 0 || isProving) return found;
  const hasSpoken = unproving.includes(authservId.toLowerCase());
  const cause = hasSpoken
    ? `${authservId}, which is set, does not prove that this mail is of the mailbox itself`
    : `${authservId}, which is set, wrote nothing into this mail`;
  const cure = `many write none into mail of their own users; where mail from outside is proven (\`epistle why last\`), nothing has to be done`;
  return [{ cause, cure, isFailure: false }];
}

/** Whether a border that is set, or would be, lets in what somebody has forged. Pure. */
export const isDeceived = ({ tested, open, present }: Travelled): boolean =>
  open.length > 0 ||
  (tested !== null && !isPassed(tested)) ||
  (present !== null && (present.isNoName || (present.tested !== null && !isPassed(present.tested))));
