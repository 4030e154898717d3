import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { vi } from 'vitest';
import type { ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { ADA, OWNER, type Sent } from '../governance-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

// biome-ignore lint/suspicious/noExplicitAny: results of tools have many shapes, and each case reads those of its own.
export type Results = readonly any[];
/** A model that knows what it was shown and nothing else: what it calls next follows from the results so far. */
export type Reader = (mail: string, results: Results) => ScriptedCall[] | string;

export interface Letter {
  readonly from?: string;
  readonly subject: string;
  readonly text: string;
  readonly to?: string;
  readonly date?: Date;
  readonly attachments?: readonly { filename: string; content: Buffer | string; contentType?: string }[];
}

/** An office whose model is told, by the subject of each mail, what to do with it. */
export interface Letters extends Modelled {
  reads(subject: string, reader: Reader): void;
  /** A mail with attachments, as a mail client puts it together. Its Message-ID. */
  letter(mail: Letter): Promise<string>;
  /** The answer to it: its text, without what is put below it, and its files. */
  replied(
    mail: Letter,
    reader: Reader,
  ): Promise<{ readonly text: string; readonly files: Sent['mail']['attachments'] }>;
  /** The text alone. */
  answered(mail: Letter, reader: Reader): Promise<string>;
}

export async function openLetters(files: Readonly<Record<string, string | object>> = {}): Promise<Letters> {
  const readers = new Map<string, Reader>();
  /** The results that each mail's run got so far. */
  const memory = new Map<string, unknown[]>();
  const made = await openModelled((_turn, mail, results): Turn => {
    const reader = [...readers].find(([subject]) => mail.includes(`"${subject}"`))?.[1];
    const known = memory.get(mail) ?? [];
    known.push(...results.map(parsed));
    memory.set(mail, known);
    const next = reader?.(mail, known) ?? 'Which case?';
    return typeof next === 'string' ? { text: next } : { calls: next };
  }, files);
  const { office } = made;

  const letters: Letters = {
    ...made,
    reads: (subject, reader) => void readers.set(subject, reader),
    async letter({ from = OWNER, to = ADA, ...mail }) {
      const transport = createTransport({ streamTransport: true, buffer: true });
      const { message, messageId } = await transport.sendMail({
        from,
        to,
        ...mail,
        attachments: [...(mail.attachments ?? [])],
      });
      if (!Buffer.isBuffer(message)) throw new Error('the mail was not put together');
      await office.post({ from: addressIn(from), to: ADA, raw: message });
      return messageId;
    },
    async replied(mail, reader) {
      readers.set(mail.subject, reader);
      const to = addressIn(mail.from ?? OWNER);
      const messageId = await letters.letter(mail);
      // By its thread, not by their number: another answer may still be on its way.
      const reply = await vi.waitFor(async () => {
        const found = (await office.left('reply', to)).find(({ mail: sent }) => sent.inReplyTo === messageId)?.mail;
        if (!found) throw new Error(`no answer to "${mail.subject}" has left`);
        return found;
      }, 90_000);
      return { text: (reply.text ?? '').split('\n-- ')[0]?.trim() ?? '', files: reply.attachments };
    },
    answered: async (mail, reader) => (await letters.replied(mail, reader)).text,
  };
  return letters;
}

const addressIn = (from: string): string => /<(.+)>/.exec(from)?.[1] ?? from;

const parsed = (content: string): unknown => {
  const json = /\{[\s\S]*\}/.exec(content)?.[0] ?? 'null';
  try {
    return JSON.parse(json);
  } catch {
    return { unreadable: content };
  }
};

/** A document that another program wrote. */
export const documentOf = (name: string): Buffer =>
  readFileSync(new URL(`../../engine/documents/files/${name}`, import.meta.url));
export const idOf = (mail: string, name: string): string => /(att_\w+)\] $/.exec(mail.split(name)[0] ?? '')?.[1] ?? '';
export const call = (name: string, args: object): ScriptedCall => ({ name, arguments: args as never });
