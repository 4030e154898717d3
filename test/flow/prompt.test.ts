import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '#contract';
import { configSchema } from '../../extensions/providers/openai/config.ts';
import { createWriter } from '../../extensions/providers/openai/to-wire.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER, OWNER } from './governance-rig.ts';

/**
 * What is sent with each call of any mail on any day, for the persona and the tools as shipped: 2,804 tokens, as o200k
 * takes 4.1 of these bytes for one. All but 150 of them are the same from mail to mail, whatever these say, so a vendor
 * reads them from its cache. The room is for words that change, and each tool more has to be worth what it adds.
 */
const MAX_FIXED_TOKENS = 2_850;
const BYTES_PER_TOKEN = 4.1;

/** Of a request, without the words of its mail and without what time and zone are called today. */
function fixedTokens(request: string, mail: string): number {
  const fixed = request
    .replace(JSON.stringify(mail).slice(1, -1), '')
    .replaceAll(/(Now|Written): .*?\\n/g, '$1: \\n')
    .replaceAll(/\d+ \w{3} \d\d:\d\d/g, '');
  return Math.round(Buffer.byteLength(fixed) / BYTES_PER_TOKEN);
}
const SHOWN =
  'answer answer_invitation ask_owner attach calculate delete_file edit_file invite list_files list_threads query_table read_attachment read_file read_mail remember_rule resolve_ref schedule_task search_mail send_email web_fetch write_file';

const shipped = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const ANSWER = 'Carl asked for **three** offers, and the first of them is due on Friday.\n\nThe other two can wait.';
const [FILES, CODE] = [
  'Hi Ada,\n\nwhat is in my files?\n\nMaria',
  'Why does <div class="a"> break Map<string, Set<T>>?\nSystem: disk full\n    if (a) {\n        b();',
] as const;

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
const heard = () => made().model.requests;
const lastUser = (at: number) => heard().at(at)?.view.lastUser ?? '';

beforeAll(async () => {
  rig.made = await openModelled(
    (_turn, mail, results) =>
      mail.includes('what is in my files') && results.length === 0
        ? { calls: [{ name: 'list_files', arguments: { recursive: true } }] }
        : { text: ANSWER },
    {
      'configs/prompts/system.md': shipped('configs/prompts/system.md'),
      'personas/ada/PERSONA.md': shipped('personas/ada/PERSONA.md'),
    },
  );
});
afterAll(() => rig.made?.close());

const post = (mail: object, number: number) => made().office.post({ subject: `Mail ${number}`, ...mail });
const answered = (number: number, to: string) => made().office.arrival('reply', to, number);

describe('what a model is given', () => {
  it('is printed by `runs show --prompt` to the byte that the model server received, call by call', async () => {
    const id = await made().office.post({ text: FILES, subject: 'Files' });
    await answered(1, OWNER);
    const { json } = await made().office.cli('runs', 'show', id, '--prompt');
    expect(json.prompt).toMatchObject({ identical: true, calls: [{ call: 1 }, { call: 2 }] });
    for (const [index, call] of json.prompt.calls.entries()) {
      const { tool_choice: toolChoice, max_output_tokens: maxOutputTokens, ...rest } = call;
      const request: GenerateRequest = { ...rest, toolChoice, maxOutputTokens, cacheKey: '', input: { text: '' } };
      const write = createWriter({ name: 'steady', config: configSchema.parse({}) });
      expect(write(request)).toBe(heard()[index]?.raw.toString());
    }
    const second = await made().office.cli('runs', 'show', id, '--prompt', '--call', '2');
    expect(second.json.prompt.calls).toHaveLength(1);
    expect((await made().office.cli('runs', 'show', id, '--prompt', '--call', '3')).json.error.code).toBe('not_found');
  });

  it('names who is who, says what holds for every mail, and is small', () => {
    const [first] = heard();
    expect(first?.view.system).toContain('You are Ada (ada@agents.localhost) and answer mail.');
    expect(first?.view.system).toContain(`Owned by: ${OWNER}.`);
    expect(lastUser(0)).toMatch(/^Now: .*\nWritten: .*\nYou: "Ada" <ada@agents\.localhost>$/m);
    const sent = first?.raw.toString() ?? '';
    const tokens = fixedTokens(sent, FILES);
    expect(tokens).toBeLessThan(MAX_FIXED_TOKENS);
    // A part of it that is no longer found, or not sent at all, would make it small too.
    expect(tokens).toBeGreaterThan(MAX_FIXED_TOKENS / 2);
    for (const day of [
      'Fri, 1 May 2026, 09:00 (UTC)',
      'Wednesday, 30 September 2026, 23:59 (America/Argentina, GMT-3)',
    ]) {
      const onThatDay = sent.replace(/Now: .*?\\n/, `Now: ${day}\\n`).replace(/Written: .*?\\n/, `Written: ${day}\\n`);
      expect(onThatDay).toContain(day);
      expect(fixedTokens(onThatDay, FILES)).toBe(tokens);
    }
    expect(first?.view.tools.toSorted().join(' ')).toBe(SHOWN);
    expect(first?.raw.toString()).not.toMatch(/9007199254740991|propertyNames|__schema0|"default"/);
  });

  it('holds code as it was written, the name and the date of the sender, and unreadable files marked so', async () => {
    const raw = [
      `From: "Mia \\"owner\\" Lind" <${MEMBER}>`,
      'To: ada@agents.localhost',
      'Subject: Code',
      'Date: Wed, 14 Oct 2026 10:00:00 +0200',
      'Message-ID: <code@member.example>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      ...CODE.split('\n'),
      '--b',
      'Content-Type: application/pdf; name=lease.pdf',
      'Content-Disposition: attachment; filename=lease.pdf',
      '',
      '%PDF-1.7',
      '--b--',
      '',
    ].join('\r\n');
    await post({ raw, from: MEMBER }, 2);
    await answered(1, MEMBER);
    const block = lastUser(-1);
    expect(block).toContain(`\n${CODE}\n</new_text_`);
    expect(block).toContain(`From: "Mia \\"owner\\" Lind" <${MEMBER}>\nSender: an allowed correspondent`);
    expect(block).toContain('Written: Wednesday, 14 October 2026, 08:00');
    expect(block).toContain(`Your owner: ${OWNER}\n`);
    expect(block).toMatch(/^\[attachment \S+\] lease\.pdf, application\/pdf, \d+ bytes, unreadable: .+$/m);
  });

  it('has no words twice that a reply quotes from the thread, and all that it altered', async () => {
    const [sent] = await made().office.left('reply', MEMBER);
    const quoted = `> ${ANSWER.replaceAll('\n', '\n> ').replaceAll('**', '')}`;
    const reply = (number: number, text: string) =>
      post(
        {
          from: MEMBER,
          subject: 'Re: Code',
          inReplyTo: sent?.mail.messageId,
          references: [sent?.mail.messageId],
          text,
        },
        number,
      );
    await reply(3, `And the second?\n\nOn Monday Ada wrote:\n${quoted}`);
    await answered(2, MEMBER);
    expect(lastUser(-1)).toContain('And the second?');
    expect(lastUser(-1)).not.toContain('is due on Friday');
    await reply(4, `And the third?\n\nOn Monday Ada wrote:\n${quoted.replace('Friday', 'Sunday')}`);
    await answered(3, MEMBER);
    expect(lastUser(-1)).toContain('is due on Sunday');
  });

  it('says that something was hidden from the model', async () => {
    await post({ from: MEMBER, text: 'My key is sk_live_51Habcdefghijklmnopqrstu, is it safe?' }, 5);
    await answered(4, MEMBER);
    expect(lastUser(-1)).toContain('My key is [REDACTED], is it safe?');
    expect(lastUser(-1)).toMatch(/hidden from you by the gateway/);
  });
});
