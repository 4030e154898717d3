import { html } from 'hono/html';
import { EngineError } from '#contract';
import { addPasskey, removePasskey } from '../../actions/passkeys.ts';
import type { ConsolePasskey } from '../../storage/types/gateway.ts';
import { asCommand, empty, timeOf } from '../frame.ts';
import { LETS_IN, notFresh, pressOf } from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

const MOST_NAME = 60;

const page = definePage({
  address: '/passkeys',
  title: () => 'Passkeys',
  load: async (look) => ({
    kept: await look.ports.gateway.listPasskeys(),
    question: look.viewer.role === 'viewer' ? null : ((await look.passkeys?.askToMake()) ?? null),
  }),
  view: (
    { kept, question },
    look,
  ) => html`<p>A passkey is a key on a device of yours, such as a telephone, which you unlock as you unlock the device. Whoever has it comes in without a link, and may for five minutes do what takes something away.</p>
${kept.length === 0 ? empty('There is none yet.') : table(kept, look)}
${
  look.passkeys === null
    ? html`<p class="soft">Browsers have passkeys only for a name under https: say it in <code>console.public_url</code> (configs/system.json), and a web server with TLS has to stand before the console.</p>`
    : look.viewer.role === 'viewer'
      ? html`<p class="soft">You are here as viewer: an owner or an operator adds one.</p>`
      : html`<h2>Add one</h2>${question === null ? html`<p class="soft">Open the console under its own address for that: ${look.passkeys.origin}/passkeys</p>` : add(question, look, look.passkeys.script)}`
}
${asCommand(look.command('passkeys list'))}`,
});

const table = (kept: readonly ConsolePasskey[], look: ScreenLook): Html =>
  html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Name</th><th scope="col">Whose</th><th scope="col">As</th><th scope="col">Made</th><th scope="col">Last used</th>${look.viewer.role === 'viewer' ? '' : html`<th scope="col">Take away</th>`}</tr></thead><tbody>${kept.map(
    (one) =>
      html`<tr data-entry><td>${one.name}</td><td>${one.address}</td><td>${one.role}</td><td class="when"><span class="soft">made</span> ${timeOf(one.made_at)}</td><td class="when"><span class="soft">used</span> ${timeOf(one.used_at)}</td>${
        look.viewer.role === 'viewer'
          ? ''
          : html`<td>${mayRemove(one, look) ? pressOf(look, '/passkeys/remove', 'Take away', { id: one.id }) : ''}</td>`
      }</tr>`,
  )}</tbody></table></div>
<p class="soft">One that is taken away lets nobody in any more, and puts out whoever came in by a passkey of that address.</p>`;

const add = (question: { readonly asked: string; readonly options: object }, look: ScreenLook, script: string): Html =>
  html`<form method="post" action="/passkeys/add" class="deeds only-script" data-does="passkey" data-options="${JSON.stringify(question.options)}">${look.formToken}<input type="hidden" name="asked" value="${question.asked}"><input type="hidden" name="credential" value=""><label for="name">Name</label><input id="name" name="name" required maxlength="${MOST_NAME}" autocomplete="off"><button class="main">Add a passkey of this device</button><p role="status"></p></form>
<p class="soft">It needs a log-in of the last five minutes, and every owner of the gateway is told by mail. It lets you in as ${look.viewer.address}, ${look.viewer.role}.</p>
<script src="${script}" defer></script>`;

/** Of others it is for owners of the gateway, as putting them out is. */
const mayRemove = ({ address }: ConsolePasskey, { viewer }: ScreenLook): boolean =>
  address === viewer.address || (viewer.role === 'owner' && viewer.ownsGateway);

/** No line of a mail can be made up by a name. */
const nameIn = (text: string): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_NAME);

/** Why nothing was done where nobody could have been told of it. */
async function unlessSilent(act: () => Promise<Done>): Promise<Done> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unavailable') return { refused: error.message, status: 409 };
    throw error;
  }
}

const NOT_MADE = {
  refused:
    'This device has made no passkey that can be used, or the page was open for more than five minutes. Go back, load it anew, and try again.',
  status: 422,
} as const;
const NOT_KEPT = {
  known: { refused: 'This passkey is known already.', status: 409 },
  too_many: { refused: 'There are as many passkeys as may be. Take one away first.', status: 409 },
} as const;

const make: Act = {
  address: '/passkeys/add',
  needs: 'operator',
  async act(deed: Deed): Promise<Done> {
    const { form, viewer, now, ports, passkeys, acting } = deed;
    if (passkeys === null) return { refused: 'Passkeys need console.public_url under https.', status: 409 };
    const stale = notFresh(deed, LETS_IN);
    if (stale) return stale;
    const name = nameIn(form.get('name') ?? '');
    if (name === '') return { refused: 'Give it a name, so that you know it again.', status: 422 };
    const device = await passkeys.made(form.get('credential') ?? '', form.get('asked') ?? '');
    if (device === null) return NOT_MADE;
    const { address, role } = viewer;
    const passkey = { ...device, id: acting.ids.next(), address, role, name, made_at: now };
    return unlessSilent(async () => {
      const became = await addPasskey({ ...ports, ...acting }, passkey);
      return became === 'added' ? { to: '/passkeys' } : NOT_KEPT[became];
    });
  },
};

const remove: Act = {
  address: '/passkeys/remove',
  needs: 'operator',
  async act(deed: Deed): Promise<Done> {
    const { form, viewer, ports, acting } = deed;
    const kept = (await ports.gateway.listPasskeys()).find(({ id }) => id === form.get('id'));
    if (!kept || !mayRemove(kept, deed)) return { refused: 'There is no such passkey.', status: 404 };
    const stale = notFresh(deed, LETS_IN);
    if (stale) return stale;
    return unlessSilent(async () => {
      const isDone = await removePasskey({ ...ports, ...acting }, kept, { by: viewer.address, keep: deed.session });
      return isDone ? { to: '/passkeys' } : { refused: 'It was taken away meanwhile.', status: 409 };
    });
  },
};

/** Everybody's own, and for owners of the gateway those of all. */
export const passkeys: Screen = {
  name: 'Passkeys',
  address: '/passkeys',
  key: 'y',
  isListed: ({ passkeys: offered }) => offered !== null,
  pages: [page],
  acts: [make, remove],
};
