import { describe, expect, it } from 'vitest';
import { isVersionOf } from '../../../../engine/gateway/imap/client/drafts.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';

const ours = { messageId: '<draft@agents.test>', inReplyTo: '<asked@member.example>', runId: 'run-1' };
const head = (...lines: string[]) => readHeaders(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)).lines;
const OTHER_ID = 'Message-ID: <other@program.test>';

describe('a mail in Drafts or Sent', () => {
  it.each([
    ['has our Message-ID', ['Message-ID: <draft@agents.test>', 'Auto-Submitted: auto-replied']],
    ['answers the same mail under another id', [OTHER_ID, 'In-Reply-To: <asked@member.example>']],
    ['has kept References alone', [OTHER_ID, 'References: <first@x.test>\r\n <asked@member.example>']],
    ['has kept our run', [OTHER_ID, 'X-Epistle-Run: run-1']],
  ])('is the draft when it %s', (_what, lines) => {
    expect(isVersionOf(ours, head(...lines))).toBe(true);
  });

  it.each([
    ['answers another mail', [OTHER_ID, 'In-Reply-To: <else@member.example>']],
    ['is a later mail of the thread', [OTHER_ID, 'References: <asked@member.example> <later@member.example>']],
    ['is the draft of another persona', [OTHER_ID, 'In-Reply-To: <asked@member.example>', 'X-Epistle-Run: run-2']],
    [
      'went out by itself',
      [OTHER_ID, 'In-Reply-To: <asked@member.example>', 'X-Epistle-Run: run-1', 'Auto-Submitted: auto-generated'],
    ],
    ['says nothing of what it answers', [OTHER_ID]],
  ])('is not when it %s', (_what, lines) => {
    expect(isVersionOf(ours, head(...lines))).toBe(false);
  });
});
