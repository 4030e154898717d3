import { html } from 'hono/html';
import { EngineError, type Json } from '#contract';
import { changeSetting, isGuarded, planSetting } from '../../actions/set-up/change-setting.ts';
import { ConfigError, describeProblem } from '../../config/problems/problem.ts';
import { settingsIn } from '../../config/writing/change.ts';
import { fileNamed, pathNamed, valueTyped } from '../../config/writing/named-setting.ts';
import { keyOf, type Setting, type SettingChange, settingAt } from '../../config/writing/settings.ts';
import { isShownWhole, shownJson } from '../../config/writing/shown-value.ts';
import { anyJson, readJson } from '../../lib/json.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import {
  gatewaySettings,
  type SettingShown,
  type SettingsFile,
  settingNamed,
  settingsOfFile,
  settingsWith,
} from '../../queries/gateway/settings.ts';
import { asCommand, empty, timeOf } from '../frame.ts';
import { addressWith, choiceOf, FILE_CHANGED, filterOf, filters, logInAgain, nameOf, textOf } from '../pieces.ts';
import { type Act, type Deed, type Done, definePage, type Html, type Screen, type ScreenLook } from '../screen.ts';

/** A value that is longer is changed in its file. */
const MOST_TYPED = 4000;
/** So much of a value stands in the list. */
const MOST_LISTED = 120;
/** More personas than this are not listed to choose from: the address of one's page leads to its settings. */
const MOST_PERSONAS = 50;

const shortened = (text: string): string => (text.length > MOST_LISTED ? `${text.slice(0, MOST_LISTED)}…` : text);

/** As people read it: a text without quotes, nothing as a word. */
function valueInWords(json: string | null): string {
  if (json === null) return 'nothing';
  const value = readJson(anyJson, json);
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes (true)' : 'no (false)';
  if (Array.isArray(value)) return value.length === 0 ? 'empty list' : json;
  return json === '{}' ? 'nothing named' : json;
}

/** What is said of a setting, with its names as such. */
const inWords = (about: string): Html =>
  html`${about.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : at === 0 ? part.charAt(0).toUpperCase() + part.slice(1) : part))}`;

const SOURCES: Readonly<Record<SettingShown['source'], readonly [words: string, look: string]>> = {
  file: ['the file', 'ok'],
  default: ['default', 'soft'],
  before: ['last good version', 'warn'],
};

const sourcePill = ({ source }: SettingShown): Html =>
  html`<span class="pill ${SOURCES[source][1]}">${SOURCES[source][0]}</span>`;

const changeAddress = (file: string, key: string): string =>
  `/settings/change?${new URLSearchParams({ file, key }).toString()}`;

const isSetByFile = (one: SettingShown): boolean => one.source !== 'default' || one.written !== null;

const list = definePage({
  address: '/settings',
  title: () => 'Settings',
  load: async (look) => {
    const named = filterOf(look, 'file');
    const all = named === undefined ? gatewaySettings(look.ports) : [settingsOfFile(look.ports, named)];
    const which = filterOf(look, 'set');
    const words = filterOf(look, 'q') ?? '';
    const isNarrow = words !== '' || which !== undefined || named !== undefined;
    // What no file names would be four fifths of the page.
    const onlySet = which === 'yes' || !isNarrow;
    const known = all.flatMap(({ file }) => file);
    return {
      files: all.map((file) => ({
        file,
        shown: settingsWith(file, words).filter((one) => !onlySet || isSetByFile(one)),
      })),
      misplaced: look.ports.live
        .problems()
        .filter(({ file }) => !known.includes(file) && file.startsWith('configs/') && named === undefined)
        .map((one) => hideDisguised(describeProblem(one))),
      isNarrow,
    };
  },
  view: ({ files, misplaced, isNarrow }, look) => html`${filters(
    '/settings',
    [
      textOf(look, 'q', 'Words', 'search'),
      choiceOf(look, 'file', 'File', 'of the gateway', filesToChoose(look)),
      choiceOf(look, 'set', 'Which', 'by file', [
        { value: 'yes', words: 'only what a file says' },
        { value: 'all', words: 'every setting' },
      ]),
    ],
    isNarrow,
  )}
${misplaced.map((one) => html`<p class="card bad-edge">${one}</p>`)}
${
  isNarrow && files.every(({ shown }) => shown.length === 0)
    ? empty(
        html`No setting fits. A word of its name, its value or what it is for finds one. <a href="/settings">Show all</a>`,
      )
    : files.filter(({ shown }) => !isNarrow || shown.length > 0).map((one) => fileSection(one, isNarrow))
}
<p class="soft">A setting that no file names has its default. Keys and passwords stand in <code>.env</code> or the environment of the gateway: here are the names of their variables alone.</p>
${asCommand(look.command('config show'))}`,
});

function filesToChoose(look: ScreenLook) {
  const ids = [...look.viewer.personas].sort().slice(0, MOST_PERSONAS);
  return [
    ...FILES.map(([value, words]) => ({ value, words })),
    ...ids.map((id) => ({ value: `persona/${id}`, words: `persona ${nameOf(look, id)}` })),
  ];
}

const FILES = [
  ['gateway', 'mail: mailboxes, doors, sending'],
  ['security', 'security: owners, who may write, what is asked'],
  ['inference', 'models: which, limits, prices'],
  ['context', 'prompt: what it is made of'],
  ['system', 'system: log, console, backup, memory'],
  ['extensions', 'extensions and tool servers'],
] as const;

const titleOf = (name: string): string => {
  const known = FILES.find(([value]) => value === name)?.[1] ?? name.replace('/', ' ');
  return known.charAt(0).toUpperCase() + known.slice(1);
};

function fileSection(
  { file, shown }: { readonly file: SettingsFile; readonly shown: readonly SettingShown[] },
  isNarrow: boolean,
): Html {
  const own = file.settings.filter(isSetByFile).length;
  const said = html`<span class="soft">${file.file}${file.state === 'absent' ? ', which there is not: all are defaults' : `, ${own} of ${file.settings.length} set`}</span>`;
  const wrong =
    file.problems.length === 0
      ? ''
      : html`<div class="card bad-edge"><p>${file.state === 'wrong' ? 'This file is wrong as it stands now, so it was not taken. What it said before is in force.' : 'Something in this file is wrong.'} ${file.writtenAt === null ? '' : html`It was written ${timeOf(file.writtenAt)}.`}</p><ul>${file.problems.map((one) => html`<li>${one}</li>`)}</ul></div>`;
  const all = addressWith('/settings', new URLSearchParams(), { file: file.name });
  return html`<section class="settings"><h2>${titleOf(file.name)}</h2> <p>${said}${file.state === 'wrong' ? html` <span class="pill bad">not taken</span>` : ''}</p>${wrong}
${
  shown.length === 0
    ? ''
    : html`<div class="table"><table class="stacks"><thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">From</th><th scope="col">Default</th></tr></thead><tbody>${shown.map((one) => settingRow(file, one))}</tbody></table></div>`
}${isNarrow ? '' : html`<p data-entry><a href="${all}">All ${file.settings.length} settings of ${file.file}</a></p>`}</section>`;
}

const settingRow = (file: SettingsFile, one: SettingShown): Html =>
  html`<tr data-entry><td>${one.path === null ? html`<code>${one.key}</code>` : html`<a href="${changeAddress(file.name, one.key)}"><code>${one.key}</code></a>`}<br><span class="soft">${inWords(one.about)}</span></td><td>${
    one.path === null
      ? html`<span class="soft">no entry</span>`
      : html`<span class="value">${shortened(valueInWords(one.value))}</span>${variableSaid(one)}${one.written === null ? '' : html`<br><span class="bad">the file says ${shortened(valueInWords(one.written))}${one.problem === null ? '' : `: ${one.problem}`}</span>`}`
  }</td><td>${one.path === null ? '' : sourcePill(one)}</td><td><span class="value soft"><span class="narrow">Default: </span>${one.required ? 'has to be set' : one.standard === null ? '–' : shortened(valueInWords(one.standard))}</span></td></tr>`;

const variableSaid = ({ isVariableSet }: SettingShown): Html =>
  isVariableSet === null
    ? html``
    : isVariableSet
      ? html` <span class="pill ok">is set</span>`
      : html` <span class="pill bad">is not set</span>`;

// One setting: what it is, and what it would become.

/** What somebody wants of a setting, as the address or a form says it; null: nothing yet. */
interface Typed {
  readonly file: string;
  readonly key: string;
  /** undefined: the default is to hold. */
  readonly to: Json | undefined;
}

function typedIn(from: URLSearchParams): Typed | null {
  const [file, key, to] = [from.get('file') ?? '', from.get('key') ?? '', from.get('to')];
  if (from.get('unset') === 'yes') return { file, key, to: undefined };
  const text = to?.trim() ?? '';
  return text === '' || text.length > MOST_TYPED ? null : { file, key, to: valueTyped(text) };
}

/** Where a list of texts is wanted, what is no list is one entry a line. */
const asLines = (typed: Typed | null, { takes }: Pick<SettingShown, 'takes'>): Typed | null =>
  takes === 'list of text' && typeof typed?.to === 'string'
    ? { ...typed, to: typed.to.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])) }
    : typed;

const settingOf = (root: string, { file, key, to }: Typed): Setting => ({
  file: fileNamed(root, file),
  path: pathNamed(key),
  to,
});

type Planned = { readonly changes: readonly SettingChange[] } | { readonly wrong: readonly string[] };

function planned(look: ScreenLook & Partial<Deed>, typed: Typed, sha256: string | null): Planned {
  if (sha256 === null) return { wrong: ['The file cannot be read, so it has to be mended by hand first.'] };
  try {
    const setting = settingOf(look.ports.root, typed);
    return { changes: planSetting({ root: look.ports.root, pass: () => {} }, { setting, sha256 }).changes };
  } catch (error) {
    return { wrong: wrongIn(error) };
  }
}

/** What is wrong with a change, in words. Throws what is no such thing. */
function wrongIn(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems.map((one) => hideDisguised(describeProblem(one)));
  if (error instanceof EngineError && ['config_invalid', 'usage'].includes(error.code))
    return [hideDisguised(error.message)];
  throw error;
}

const one = definePage({
  address: '/settings/change',
  title: ({ setting }) => setting.key,
  load: async (look) => {
    const [file, key] = [look.query.get('file') ?? '', look.query.get('key') ?? ''];
    const found = settingNamed(look.ports, file, pathNamed(key));
    if (found === null) return null;
    const typed = asLines(typedIn(look.query), found.setting);
    const raw = rawAt(look, found.file.file, found.setting);
    return { ...found, typed, raw, plan: typed === null ? null : planned(look, typed, found.sha256) };
  },
  view: (
    { file, setting, sha256, typed, raw, plan },
    look,
  ) => html`<p><a href="${addressWith('/settings', new URLSearchParams(), { file: file.name })}" data-up>All settings of ${file.file}</a></p>
<p>${setting.about === '' ? '' : html`${inWords(setting.about)}. `}It takes: ${setting.takes}.</p>
<dl class="facts"><dt>Now</dt><dd><span class="value">${valueInWords(setting.value)}</span>${variableSaid(setting)}</dd>
<dt>From</dt><dd>${sourcePill(setting)} <span class="soft">${setting.source === 'default' ? `${file.file} does not name it` : file.file}</span></dd>
${setting.written === null ? '' : html`<dt>The file says</dt><dd class="bad"><span class="value">${valueInWords(setting.written)}</span>${setting.problem === null ? '' : html`: ${setting.problem}`}. It was not taken${file.writtenAt === null ? '' : html` when it was written, ${timeOf(file.writtenAt)}`}.</dd>`}
<dt>Default</dt><dd><span class="value">${setting.required ? 'none: it has to be set' : setting.standard === null ? 'none' : valueInWords(setting.standard)}</span></dd></dl>
${plan === null || typed === null ? '' : difference(file, setting, { plan, typed, sha256 }, look)}
${look.viewer.role === 'owner' ? form(file, setting, { typed, raw }, look) : html`<p class="soft">You are here as ${look.viewer.role}: an owner changes settings.</p>`}
${asCommand(look.command(`config set ${file.name} ${quoted(setting.key)} VALUE`))}`,
});

const quoted = (key: string): string => (/^[\w.@-]+$/.test(key) ? key : `'${key}'`);

/** What the file itself says there; undefined: nothing, or something that is not to be shown. */
function rawAt({ ports }: ScreenLook, file: string, { path }: SettingShown): Json | undefined {
  if (path === null) return undefined;
  try {
    const value = settingAt(settingsIn(ports.root, file), path);
    return isShownWhole(value, path) ? value : undefined;
  } catch {
    return undefined;
  }
}

function difference(
  file: SettingsFile,
  setting: SettingShown,
  { plan, typed, sha256 }: { readonly plan: Planned; readonly typed: Typed; readonly sha256: string | null },
  look: ScreenLook,
): Html {
  if ('wrong' in plan)
    return html`<div class="card bad-edge" role="alert"><p>This would be wrong, so it cannot be written:</p><ul>${plan.wrong.map((line) => html`<li>${line}</li>`)}</ul></div>`;
  if (plan.changes.length === 0)
    return html`<p class="card" role="status">${typed.to === undefined ? 'No file names it: it has its default already.' : 'It is so already.'}</p>`;
  const guarded = plan.changes.some(isGuarded);
  return html`<section class="card" aria-labelledby="difference"><h2 id="difference">This would be changed in ${file.file}</h2>
${plan.changes.map((change) => html`<p><code>${keyOf(change)}</code></p><p class="lines"><del>${changed(change.from, change)}</del></p><p class="lines"><ins>${changed(change.to, change)}</ins></p>`)}
${guarded ? html`<p class="soft">It bears on who may do what, or on where what is secret goes: every owner is told of it by mail. ${look.isFresh ? '' : notFreshNow(look)}</p>` : ''}
${
  look.viewer.role !== 'owner'
    ? ''
    : html`<form method="post" action="/settings/change" class="deeds">${look.formToken}<input type="hidden" name="file" value="${file.name}"><input type="hidden" name="key" value="${setting.key}"><input type="hidden" name="hash" value="${sha256 ?? ''}">${
        typed.to === undefined
          ? html`<input type="hidden" name="unset" value="yes">`
          : html`<input type="hidden" name="to" value="${JSON.stringify(typed.to)}">`
      }<button class="main">Write it</button> <a href="${changeAddress(file.name, setting.key)}">Leave it as it is</a></form>`
}</section>`;
}

const changed = (value: Json | undefined, { path }: SettingChange): string =>
  value === undefined ? 'nothing in the file: the default' : valueInWords(shownJson(value, path));

const form = (
  file: SettingsFile,
  setting: SettingShown,
  { typed, raw }: { readonly typed: Typed | null; readonly raw: Json | undefined },
  look: ScreenLook,
): Html => {
  const begun = typed === null || typed.to === undefined ? raw : typed.to;
  const isSet = raw !== undefined || setting.source === 'file' || setting.written !== null;
  const hidden = html`<input type="hidden" name="file" value="${file.name}"><input type="hidden" name="key" value="${setting.key}">`;
  return html`<h2>Change it</h2><form action="/settings/change" class="deeds">${hidden}<label for="to">New value</label>${field(setting, begun)}<button>Show the difference</button></form>
${isSet && !setting.required ? html`<form action="/settings/change" class="deeds">${hidden}<button name="unset" value="yes">Back to the default</button></form>` : ''}
<p class="soft">Nothing is written before you have seen the difference. A text needs no quotes. ${setting.takes === 'list of text' ? 'Write one entry a line.' : 'A list or an object is written as JSON.'} ${look.isFresh ? '' : 'Some settings need a log-in of the last five minutes.'}</p>`;
};

/** One of few values is chosen, any other is typed. */
function field({ takes }: SettingShown, begun: Json | undefined): Html {
  const choices = choicesIn(takes);
  const now = begun === undefined ? '' : JSON.stringify(begun);
  if (choices !== null)
    return html`<select id="to" name="to">${choices.map((choice) =>
      choice === now
        ? html`<option value="${choice}" selected>${valueInWords(choice)}</option>`
        : html`<option value="${choice}">${valueInWords(choice)}</option>`,
    )}</select>`;
  const text = typeof begun === 'string' ? (valueTyped(begun) === begun ? begun : now) : now;
  const rows = text.length > 60 || text.startsWith('[') || text.startsWith('{') ? 6 : 1;
  return html`<textarea id="to" name="to" rows="${rows}" maxlength="${MOST_TYPED}" spellcheck="false" required>${text}</textarea>`;
}

function choicesIn(takes: string): readonly string[] | null {
  const all = takes.split(' or ');
  return all.length > 1 && all.every((one) => readJson(anyJson, one) !== undefined || one === 'null') ? all : null;
}

const notFreshNow = (look: ScreenLook): string =>
  `It needs a log-in that is less than five minutes old. ${logInAgain(look)} Then come back here.`;

/** Null: there is none, or it is in the file of a persona that the viewer does not see. */
function namedBy({ ports }: Deed, { file, key }: Typed) {
  try {
    return settingNamed(ports, file, pathNamed(key));
  } catch (error) {
    if (error instanceof EngineError && error.code === 'usage') return null;
    throw error;
  }
}

const write: Act = {
  address: '/settings/change',
  needs: 'owner',
  async act(deed): Promise<Done> {
    const typed = typedIn(deed.form);
    if (typed === null) return { refused: 'Write a value first, of at most 4,000 characters.', status: 422 };
    const found = namedBy(deed, typed);
    if (found === null) return { refused: 'There is no such setting.', status: 404 };
    const sha256 = deed.form.get('hash') ?? '';
    const setting = settingOf(deed.ports.root, typed);
    if (sha256 !== found.sha256) return FILE_CHANGED;
    try {
      const { changes } = planSetting({ root: deed.ports.root, pass: deed.acting.pass }, { setting, sha256 });
      if (changes.some(isGuarded) && !deed.isFresh) return { refused: notFreshNow(deed), status: 403 };
      await changeSetting({ ...deed.ports, ...deed.acting }, { setting, sha256 }, { by: deed.viewer.address });
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unavailable') return { refused: error.message, status: 409 };
      return { refused: wrongIn(error).join(' '), status: 422 };
    }
    return { to: changeAddress(typed.file, typed.key) };
  },
};

export const settings: Screen = {
  name: 'Settings',
  address: '/settings',
  key: 'e',
  isFor: ({ ownsGateway }) => ownsGateway,
  search: { address: '/settings', words: 'Search settings (/)' },
  pages: [list, one],
  acts: [write],
};
