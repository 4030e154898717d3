import type { Identity } from '../../mime/types.ts';
import { type MailToJudge, unproven } from '../judge-sender.ts';
import {
  BORDER_SAYS,
  type Border,
  NO_BORDER,
  NO_VERDICT,
  readVerdict,
  type Stamped,
} from './authentication-results.ts';
import { judgeStamp } from './judge-stamp.ts';
import { isBorderName } from './results-header.ts';

/** Whether the border proves who wrote the mail. Pure. */
export function byBorder({ headers, mailFrom }: Stamped, border: Border, letter: MailToJudge): Identity {
  const { authservId } = border;
  if (!isBorderName(authservId)) return unproven(letter.address, `${JSON.stringify(authservId)}${NO_BORDER}`);
  const verdict = readVerdict(headers, border, { mailFrom });
  if (verdict.kind === 'silent') return unproven(letter.address, `${NO_VERDICT}${authservId}`);
  const judged =
    verdict.kind === 'said'
      ? judgeStamp(verdict, { headers, mailFrom }, letter)
      : unproven(letter.address, verdict.detail);
  // One that was heard and proves nobody is named: then it is not its name that is set wrong.
  return judged.authenticated ? judged : { ...judged, detail: `${authservId}${BORDER_SAYS}${judged.detail}` };
}
