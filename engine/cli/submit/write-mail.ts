import { createRequire } from 'node:module';
import type Composer from 'nodemailer/lib/mail-composer';
import { EngineError } from '#contract';
import type { Workspace } from '../../workspace.ts';

const MailComposer: typeof Composer = createRequire(import.meta.url)('nodemailer/lib/mail-composer');

/** The first owner, in whose name commands write. Throws `usage` when there is none. */
export function ownerOf({ live }: Workspace): string {
  const [owner] = live.current().security.owners;
  if (!owner) {
    throw new EngineError('usage', 'no owner is set in configs/security.json; add one there, or give --from');
  }
  return owner;
}

export async function writeMail(
  { clock, ids, live }: Workspace,
  mail: {
    from: string;
    to: string[];
    subject: string;
    text: string;
    messageId?: string;
    inReplyTo?: string;
    references?: string[];
  },
): Promise<{ raw: Uint8Array; messageId: string }> {
  const messageId = mail.messageId ?? `<${ids.next()}@cli.${live.current().gateway.domain}>`;
  const composer = new MailComposer({
    ...mail,
    messageId,
    date: new Date(clock.now()),
    text: mail.text === '' ? '\n' : mail.text,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { raw: await composer.compile().build(), messageId };
}
