import { describe, expect, it } from 'vitest';
import { sentMessage } from '../../../../engine/delivery/drafts/watch-drafts.ts';
import type { ParsedMail } from '../../../../engine/mail/mime/types.ts';
import { readLetter } from '../../../../engine/mail/reading/parse.ts';
import type { UnsentMessage } from '../../../../engine/storage/types/drafts.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const TRACE = { role: 'user', content: [{ type: 'text', text: '[data: read_file]' }] };

const message: UnsentMessage = {
  id: 'mail-1',
  thread_id: 'thread-1',
  direction: 'out',
  message_id: '<draft@agents.test>',
  run_id: 'run-1',
  from_address: 'ada@agents.test',
  from_name: 'Ada',
  to: ['mia@member.example'],
  cc: [],
  subject: 'Re: Lunch',
  in_reply_to: '<asked@member.example>',
  references: ['<asked@member.example>'],
  date: 1,
  received_at: 1,
  text: 'At noon, then.',
  new_text: 'At noon, then.',
  clean: null,
  rendered_json: JSON.stringify([TRACE, { role: 'assistant', text: 'At noon, then.', toolCalls: [] }]),
};

const limits = {
  max_message_bytes: 1e6,
  max_attachments: 5,
  max_attachment_bytes: 1e6,
  max_mime_depth: 8,
  max_mime_parts: 20,
  max_files_bytes: 1e6,
};

function read(text: string, headers: readonly string[] = []): ParsedMail {
  const head = ['From: ada@agents.test', 'To: Mia <mia@member.example>', 'Subject: Re: Lunch', ...headers];
  const letter = readLetter(Buffer.from([...head, '', text, ''].join('\r\n')), limits);
  if (!letter) throw new Error('the test writes small plain letters');
  return letter;
}

const draft = read('At noon, then.\r\n\r\n-- \r\nAda\r\nAI assistant', ['Message-ID: <draft@agents.test>']);

describe('the row of the thread for a draft that was sent', () => {
  it('is ours when its words are, however they were wrapped, under the id that was sent', () => {
    const sent = read('At\r\nnoon,  then.\r\n\r\n-- \r\nAda\r\nAI assistant', ['Message-ID: <program@member.example>']);
    const answer = sentMessage(message, draft, sent, NOON);
    expect(answer).toMatchObject({ edited: false, viewers: ['mia@member.example'] });
    expect(answer.message).toMatchObject({
      text: 'At noon, then.',
      message_id: '<program@member.example>',
      received_at: NOON,
      clean: null,
      rendered_json: message.rendered_json,
    });
  });

  it('has the words and the readers that were sent, and keeps what was called for it', () => {
    const sent = read('Rather at one.', ['Message-ID: <draft@agents.test>', 'Cc: Ben@member.example']);
    const { message: row, viewers, edited } = sentMessage(message, draft, sent, NOON);
    expect([edited, viewers]).toEqual([true, ['mia@member.example', 'ben@member.example']]);
    expect(row).toMatchObject({ text: 'Rather at one.', new_text: 'Rather at one.', cc: ['ben@member.example'] });
    expect(JSON.parse(row.rendered_json ?? '')).toEqual([
      TRACE,
      { role: 'assistant', text: 'Rather at one.', toolCalls: [] },
    ]);
  });

  it('does not claim our words where nobody can read what was sent', () => {
    const { message: row, edited } = sentMessage(message, draft, null, NOON);
    expect(edited).toBe(true);
    expect(row.text).not.toContain('noon');
  });
});
