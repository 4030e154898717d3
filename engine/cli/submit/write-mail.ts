import { createRequire } from 'node:module';
import type Composer from 'nodemailer/lib/mail-composer';
import { EngineError } from '#contract';
import { addressesOfOwners } from '../../config/owners.ts';
import type { Workspace } from '../../workspace.ts';

const MailComposer: typeof Composer = createRequire(import.meta.url)('nodemailer/lib/mail-composer');

/**
 * In whose name commands write: the first owner of the workspace where they own all the personas that are written to, else
 * the first owner of the first persona that has owners of its own. Throws `usage` when there is none.
 */
export function ownerOf({ live }: Pick<Workspace, 'live'>, to: readonly string[] = []): string {
  const [first] = addressesOfOwners(live.current().security.owners);
  const owners = to.flatMap((address) => {
    const entry = live.personas().byAddress(address);
    return entry?.state === 'ready' && entry.persona.owners.length > 0 ? [entry.persona.owners] : [];
  });
  const isOwner = owners.every((some) => first !== undefined && some.includes(first));
  const owner = isOwner ? first : owners[0]?.[0];
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
