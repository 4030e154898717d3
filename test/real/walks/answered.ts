import { type ParsedMail, simpleParser } from 'mailparser';
import { expect, vi } from 'vitest';
import { idOf, letter } from '../../lab/site.ts';
import {
  BOX_USERS,
  boxesOf,
  type House,
  OWNERS,
  ownersOf,
  PASSWORD,
  personasOf,
  receiverOf,
  type Sent,
  senderOf,
  told,
  userOf,
} from './house.ts';
import { RELAY } from './relay.ts';

const WITHIN_MS = 20_000;
const PATIENCE = { timeout: WITHIN_MS, interval: 300 };

/** A mail of every owner to every persona is answered once, as that persona, by the mailbox that it writes by. */
export async function assertAnswered(house: House, name: string): Promise<void> {
  const boxes = boxesOf(house);
  const mails = personasOf(house).flatMap((persona) => {
    const by = senderOf(boxes, persona);
    const arrives = receiverOf(persona.address);
    expect([persona, arrives === RELAY || boxes.some(({ imap }) => userOf(imap.user) === arrives), by]).toEqual([
      persona,
      true,
      expect.objectContaining({}),
    ]);
    return ownersOf(house, persona).map((owner): Sent => {
      const id = `${name}-${persona.id}-${userOf(owner)}`;
      return { id, owner, persona, arrives, by: userOf(by?.smtp.user ?? '') };
    });
  });
  house.sent.push(...mails);
  const begun = performance.now();
  await Promise.all(
    mails.map(({ id, owner, arrives, persona: { address } }) => {
      const server = arrives === RELAY ? house.relay : house.lab;
      return server.submit(letter({ id, from: owner, to: address }), { from: owner, to: address, password: PASSWORD });
    }),
  );
  await vi
    .waitFor(() => assertOnceEach(house), PATIENCE)
    .catch(async (error) => {
      throw new Error(`${error.message}\n${await why(house, mails)}`);
    });
  house.tookMs.push(performance.now() - begun);
  const answers = await answersOf(house);
  const log = await house.lab.logs();
  for (const mail of mails) assertAsPersona(mail, answers.get(idOf(mail.id)), log);
  const health = async () => {
    const { json } = await told(house, ['status']);
    expect([json.healthy, json.unhealthy ?? []]).toEqual([true, []]);
  };
  await vi.waitFor(health, PATIENCE);
}

/** Nothing but these mails, and one answer to each, lies anywhere; and what is told of an upgrade. */
export async function assertOnceEach({ lab, sent, told: news }: House): Promise<void> {
  const said = (mails: readonly Sent[], key: (mail: Sent) => string) =>
    mails.map((mail) => `${key(mail)} ${idOf(mail.id)}`).toSorted();
  const answered = await Promise.all(
    OWNERS.map(async (owner) => {
      const mails = await lab.mailbox(userOf(owner));
      return mails.map(({ inReplyTo }) => `${owner} ${inReplyTo}`);
    }),
  );
  const unasked = news.map(({ owner }) => `${owner} `);
  expect(answered.flat().toSorted()).toEqual([...said(sent, ({ owner }) => owner), ...unasked].toSorted());
  const [came, filed] = await Promise.all([
    inFolders(lab, ['INBOX', 'Done'], ({ messageId }) => messageId),
    inFolders(lab, ['Sent'], ({ inReplyTo }) => inReplyTo),
  ]);
  const byMailbox = sent.filter(({ arrives }) => arrives !== RELAY);
  expect(came).toEqual(said(byMailbox, ({ arrives }) => arrives));
  // One mail to all of them.
  const copies = [...new Set(news.map(({ by }) => `${by} `))];
  expect(filed).toEqual([...said(sent, ({ by }) => by), ...copies].toSorted());
}

type Stored = Awaited<ReturnType<House['lab']['mailbox']>>[number];

async function inFolders(lab: House['lab'], folders: readonly string[], key: (mail: Stored) => string) {
  const found = BOX_USERS.flatMap((user) =>
    folders.map(async (folder) => (await lab.mailbox(user, folder)).map((mail) => `${user} ${key(mail)}`)),
  );
  return (await Promise.all(found)).flat().toSorted();
}

/** Each owner has read it once. */
export async function assertToldOfUpgrade({ lab, told: news }: House): Promise<void> {
  for (const { owner } of news) {
    const mails = await Promise.all((await lab.read(userOf(owner))).map(({ raw }) => simpleParser(raw)));
    const unasked = mails.filter(({ inReplyTo }) => inReplyTo === undefined).map(({ subject }) => subject);
    expect(unasked).toEqual(['[Ada] What is different since the upgrade']);
  }
}

/** By the Message-ID that they answer. */
async function answersOf({ lab }: House): Promise<ReadonlyMap<string, ParsedMail>> {
  const raws = (await Promise.all(OWNERS.map((owner) => lab.read(userOf(owner))))).flat();
  const mails = await Promise.all(raws.map(({ raw }) => simpleParser(raw)));
  return new Map(mails.map((mail) => [String(mail.inReplyTo), mail]));
}

function assertAsPersona({ persona, by, owner, id }: Sent, answer: ParsedMail | undefined, log: string): void {
  const line = (name: string) => answer?.headerLines.find(({ key }) => key === name)?.line ?? '';
  // The server's own record of who handed it in, by the number that it gave the mail.
  const [, queued = 'nothing'] = /with ESMTPSA id (\w+)/.exec(
    answer?.headerLines.findLast(({ key }) => key === 'received')?.line ?? '',
  ) ?? [''];
  const [, login = 'nobody'] = new RegExp(`${queued}: client=.*sasl_username=(\\S+)`).exec(log) ?? [];
  expect({
    from: answer?.from?.value,
    to: [answer?.to].flat().flatMap((one) => one?.value.map(({ address }) => address) ?? []),
    subject: answer?.subject,
    envelope: line('return-path'),
    login: userOf(login),
  }).toEqual({
    from: [{ name: persona.name, address: persona.address }],
    to: [owner],
    subject: `Re: ${id}`,
    envelope: `Return-Path: <${persona.address}>`,
    login: by,
  });
}

/** What the gateway says of mails that were not answered. */
async function why(house: House, mails: readonly Sent[]): Promise<string> {
  const status = await told(house, ['status']);
  const { json } = await told(house, ['mail', 'list', '--limit', String(mails.length * 2)]);
  const outbox = await told(house, ['outbox', 'list']);
  const { unhealthy, running } = status.json;
  return JSON.stringify({ running, unhealthy, mails: json?.mails, outbox: outbox.json?.outbox }, null, 1);
}
