import { describe, expect, it } from 'vitest';
import { readAnswer, readPlanAnswer } from '../../../engine/mail/approval/approval-answer.ts';
import { readOwnerCommand } from '../../../engine/mail/approval/owner-command.ts';
import { readUndo } from '../../../engine/mail/approval/undo-answer.ts';
import type { ParsedMail } from '../../../engine/mail/mime/types.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { htmlMail } from '../../corpus/answer-clients.ts';
import { struckAnswers } from '../../corpus/struck-answers.ts';
import { LIMITS } from './limits.ts';

async function mailOf(raw: Buffer): Promise<ParsedMail> {
  const outcome = await readMail(raw, LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mail;
}

const newTextOf = async (raw: Buffer): Promise<string> => (await mailOf(raw)).newText;

describe('L3: a struck-out or hidden word', () => {
  it.each(Object.entries(struckAnswers))('is no answer to a question: %s', async (_name, raw) => {
    const newText = await newTextOf(raw);
    expect(['ambiguous', 'none']).toContain(readAnswer(newText, [1]).kind);
    expect(['ambiguous', 'none']).toContain(readPlanAnswer(newText, 2).kind);
  });

  it('is no command and takes nothing back', async () => {
    expect(readOwnerCommand(await mailOf(htmlMail('<s>STOP</s>')))).toBeNull();
    expect(readUndo(await newTextOf(htmlMail('<s>undo</s>')), [1])).toBeNull();
  });

  it('beside it leaves an answer that is not struck out as it is', async () => {
    const newText = await newTextOf(
      htmlMail('<div>approve</div><blockquote type="cite"><s>deny</s> old words</blockquote>'),
    );
    expect(readAnswer(newText, [1])).toEqual({ kind: 'approve', items: [1] });
  });
});
