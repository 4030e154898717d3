import { html } from 'hono/html';
import { forgetBy } from '../../actions/facts.ts';
import { decideSender } from '../../actions/mail/decide-sender.ts';
import { exportOf } from '../../queries/people/export.ts';
import {
  type PersonPage,
  type PersonWithPersona,
  peopleOf,
  personOf,
  type TierHere,
} from '../../queries/people/people.ts';
import { runInWords } from '../../queries/state-words.ts';
import type { Fact } from '../../storage/types/facts.ts';
import { asCommand, dollars, empty, timeOf } from '../frame.ts';
import {
  addressWith,
  fatePill,
  filterOf,
  filters,
  isOneAddress,
  LETS_IN,
  nameOf,
  notFresh,
  number,
  pager,
  personaChoice,
  personLink,
  pressOf,
  stillRefused,
  textOf,
} from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';
import { mailTable } from './mail.ts';

const PAGE = 40;

const list = definePage({
  address: '/people',
  title: () => 'People',
  load: async (look) => {
    const after = Number(filterOf(look, 'after'));
    const before = Number.isSafeInteger(after) && after > 0 ? after : undefined;
    const wanted = { limit: PAGE, before, who: filterOf(look, 'who'), persona: filterOf(look, 'persona') };
    return { ...(await peopleOf(look.ports, look.viewer, wanted)), isFirst: before === undefined };
  },
  view: ({ people, next, isFirst }, look) => {
    const isSet = ['who', 'persona'].some((name) => filterOf(look, name) !== undefined);
    return html`${filters('/people', [textOf(look, 'who', 'Address', 'search'), personaChoice(look)], isSet)}
<div data-live>${
      people.length === 0
        ? empty(
            isSet
              ? html`Nobody fits. <a href="/people">Show everybody</a>`
              : 'Nobody has written yet. Whoever writes stands here, also if their mail is refused.',
          )
        : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Who</th><th scope="col">To</th><th scope="col">May they write</th><th scope="col">Last mail</th><th scope="col">When</th></tr></thead><tbody>${people.map(
            (one) =>
              html`<tr data-entry><td class="person">${personLink(one.who)}</td><td class="short">${one.persona === null ? html`<span class="soft">nobody</span>` : nameOf(look, one.persona)}</td><td class="short">${one.standing === null ? '–' : tierPill(one.standing)}</td><td><a href="/mail/${one.id}">${one.subject === '' ? 'no subject' : one.subject}</a> ${fatePill(one.fate)}</td><td class="when">${timeOf(one.at)}</td></tr>`,
          )}</tbody></table></div>`
    }</div>
${pager('/people', look, next, isFirst)}${asCommand(look.command('senders list'))}`;
  },
});

const TIERS: Readonly<Record<TierHere['tier'], readonly [string, string]>> = {
  owner: ['an owner', 'ok'],
  member: ['may write', 'ok'],
  denied: ['kept out', 'bad'],
  stranger: ['a stranger', 'warn'],
};
const tierPill = ({ tier }: TierHere): Html => html`<span class="pill ${TIERS[tier][1]}">${TIERS[tier][0]}</span>`;

const page = definePage({
  address: '/people/:address',
  title: ({ address }: PersonPage) => address,
  load: ({ ports, viewer, params }) => personOf(ports, viewer, params.address ?? ''),
  view: (
    person,
    look,
  ) => html`<div data-live><div class="tiles"><dl class="tile"><dt>Wrote</dt><dd>${person.wrote} ${person.wrote === 1 ? 'mail' : 'mails'}</dd><dd class="soft">first ${timeOf(person.firstAt)}, last ${timeOf(person.lastAt)}</dd></dl>
<dl class="tile"><dt>Has cost</dt><dd>${dollars(person.cost_usd)}</dd><dd class="soft">${person.personas.reduce((sum, { runs }) => sum + runs, 0)} runs for them</dd></dl></div>
${person.personas.map((one) => withPersona(one, person.address, look))}${person.others === 0 ? '' : html`<p>${person.others} more personas had to do with them; what they did and cost is not counted here. <a href="${addressWith('/mail', new URLSearchParams(), { q: person.address })}">All mail from and to them</a></p>`}
<section aria-labelledby="mails"><h2 id="mails">Mail from and to them</h2>${person.mails.length === 0 ? empty('Among the newest mail there is none.') : mailTable(person.mails, look)}</section></div>
${asCommand(look.command('senders list'))}<p><a href="/people/${encodeURIComponent(person.address)}/export">All that is held of them, to keep</a></p><p><a href="/people" data-up>Everybody</a></p>`,
});

function why({ tier, by, entry }: TierHere): Html {
  const file = by === 'gateway' ? 'configs/security.json' : 'the persona’s file';
  switch (tier) {
    case 'owner':
      return html`is an owner: <code>${entry ?? ''}</code> stands among the owners`;
    case 'member':
      return html`may write: <code>${entry ?? ''}</code> is allowed in ${file}`;
    case 'denied':
      return html`is kept out: <code>${entry ?? ''}</code> is denied in ${file}`;
    case 'stranger':
      return html`is a stranger: no rule names the address, so only what a conversation allows is answered`;
  }
}

const withPersona = (one: PersonWithPersona, address: string, look: ScreenLook): Html =>
  html`<section class="card" aria-labelledby="with-${one.persona}"><h2 id="with-${one.persona}">With ${one.name}</h2><p>${tierPill(one)} ${address} ${why(one)}.</p>
<p>${one.wrote} came, ${one.taken} taken in, ${one.refused} refused; ${one.written} sent to them. ${one.runs} ${one.runs === 1 ? 'run' : 'runs'}, ${dollars(one.cost_usd)}.</p>${deedsOf(one, address, look)}
<h3>What is remembered of them</h3>${
    one.facts.length === 0
      ? html`<p class="soft">Nothing.</p>`
      : html`<ul class="rows">${one.facts.map((fact) => html`<li>${fact.text} <span class="soft">said by ${fact.said_by}, ${timeOf(fact.recorded_at)}${fact.status === 'kept' ? '' : `, ${FACTS[fact.status] ?? fact.status}`}</span>${forgetButton(one, fact, address, look)}</li>`)}</ul><p class="soft">What is forgotten is shown to no model any more. The mail that said it stays where it is.</p>`
  }${
    one.newestRuns.length === 0
      ? ''
      : html`<h3>Newest runs for them</h3><ul class="rows">${one.newestRuns.map((run) => html`<li><a href="/runs/${one.persona}/${run.id}">${timeOf(run.created_at)}</a> ${runInWords(run.status)}, ${dollars(run.cost_usd)}</li>`)}</ul>`
  }</section>`;

const forgetButton = (
  { persona }: PersonWithPersona,
  { id, text }: Pick<Fact, 'id' | 'text'>,
  address: string,
  look: ScreenLook,
): Html =>
  look.viewer.role !== 'owner' || !isOneAddress(address)
    ? html``
    : html`<form method="post" action="/people/${encodeURIComponent(address)}/facts/${encodeURIComponent(id)}/forget" class="deeds">${look.formToken}<input type="hidden" name="persona" value="${persona}"><button>Forget this<span class="unseen">: ${text}</span></button></form>`;

const FACTS: Readonly<Record<string, string>> = { candidate: 'not sure yet', disputed: 'somebody says otherwise' };

function deedsOf({ persona, tier, name }: PersonWithPersona, address: string, look: ScreenLook): Html {
  if (look.viewer.role !== 'owner' || !isOneAddress(address)) return html``;
  const at = `/people/${encodeURIComponent(address)}`;
  const mayBeLetIn = tier === 'stranger' || tier === 'denied';
  const mayBeKeptOut = tier === 'stranger' || tier === 'member';
  return html`<div class="deeds">${mayBeLetIn ? pressOf(look, `${at}/allow`, `Let them write to ${name}`, { persona }) : ''}${mayBeKeptOut ? pressOf(look, `${at}/block`, 'Keep them out', { persona }) : ''}${pressOf(look, `${at}/forget`, `Have ${name} forget them`, { persona })}</div>`;
}

const NOBODY = { refused: 'Nobody with this address has had to do with a persona of yours.', status: 404 } as const;

/** Somebody who has had to do with a persona of the viewer, with that one. */
interface Meant {
  readonly address: string;
  readonly one: PersonWithPersona;
}

async function meant(deed: Deed): Promise<Meant | null> {
  const { address, personas } = await personOf(deed.ports, deed.viewer, deed.params.address ?? '');
  const one = personas.find(({ persona }) => persona === deed.form.get('persona'));
  return one && isOneAddress(address) ? { address, one } : null;
}

const back = (address: string): Done => ({ to: `/people/${encodeURIComponent(address)}` });

const allow: Act = {
  address: '/people/:address/allow',
  needs: 'owner',
  async act(deed) {
    const found = await meant(deed);
    if (!found) return NOBODY;
    const stale = notFresh(deed, LETS_IN);
    if (stale) return stale;
    const { address: sender, one } = found;
    const { denied } = await deed.acting.letIn({ sender, personas: [one.persona], by: deed.viewer.address });
    if (denied.length === 0) return back(sender);
    return stillRefused(sender);
  },
};

const block: Act = {
  address: '/people/:address/block',
  needs: 'owner',
  async act(deed) {
    const found = await meant(deed);
    if (!found) return NOBODY;
    const { address: sender, one } = found;
    if (one.tier === 'owner')
      return {
        refused: `${sender} is an owner of ${one.name}: what they approve or stop by mail would be refused, too. Take them out of its owners first.`,
        status: 422,
      };
    const { ports, acting, viewer } = deed;
    const decided = { persona: one.persona, sender, verdict: 'block', by: viewer.address } as const;
    await decideSender({ root: ports.root, stores: ports.stores, clock: ports.clock, ids: acting.ids }, decided);
    ports.live.lookAtPersona(one.persona);
    return back(sender);
  },
};

/** What an owner wants forgotten, who has come in a moment ago; null: there is nothing of it any more. */
async function forgetting(
  deed: Deed,
  what: (found: Meant) => { readonly person: string } | { readonly id: string } | null,
): Promise<Done> {
  const found = await meant(deed);
  if (!found) return NOBODY;
  const late = notFresh(deed);
  if (late) return late;
  const wanted = what(found);
  if (wanted === null) return { refused: 'This is not remembered any more.', status: 409 };
  const { dataDir, stores, clock } = deed.ports;
  const { ids, pass } = deed.acting;
  const personaId = found.one.persona;
  await forgetBy({ dataDir, stores, clock, ids, pass }, { personaId, ...wanted }, deed.viewer.address);
  return back(found.address);
}

const forget: Act = {
  address: '/people/:address/forget',
  needs: 'owner',
  act: (deed) => forgetting(deed, ({ address: person }) => ({ person })),
};

const forgetOne: Act = {
  address: '/people/:address/facts/:fact/forget',
  needs: 'owner',
  act: (deed) =>
    forgetting(deed, ({ one }) => {
      const fact = one.facts.find(({ id }) => id === deed.params.fact);
      return fact ? { id: fact.id } : null;
    }),
};

const exported = definePage({
  address: '/people/:address/export',
  title: ({ address }) => `What is held of ${address}`,
  load: ({ ports, viewer, params }: ScreenLook) => exportOf(ports, viewer, params.address ?? ''),
  view: ({ isCut, ...held }, look) => {
    const text = JSON.stringify(held, null, 2);
    return html`<p>${number(held.mails.length)} mails from and to them, ${number(held.runs.length)} runs for them. ${held.facts.length === 0 ? 'Nothing is remembered of them.' : `${number(held.facts.length)} things that are remembered of them, with who said each; what was replaced since stands here, too.`} Left out: ${held.left_out}</p>${
      isCut ? html`<p class="warn" role="status">There is more than this: of each kind the newest stand here.</p>` : ''
    }<p><a download="person.json" href="data:application/json;base64,${Buffer.from(text).toString('base64')}">Save it as a file</a></p><pre tabindex="0">${text}</pre>${asCommand(look.command('memory export'))}<p><a href="/people/${encodeURIComponent(held.address)}" data-up>${held.address}</a></p>`;
  },
});

export const people: Screen = {
  name: 'People',
  address: '/people',
  key: 'p',
  pages: [list, page, exported],
  acts: [allow, block, forget, forgetOne],
};
