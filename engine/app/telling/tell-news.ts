import { noticeTo, type Telling } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';
/** Of each item, so many sentences at most. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** One mail to the owners of a workspace that an earlier build has worked in: what behaves otherwise now. */
export async function tellNews({ workspace, announce }: Telling): Promise<void> {
  const { gateway, live } = workspace;
  const kept = await gateway.setting(DUE, () => '');
  if (kept === '') return;
  const [{ isKey, say }, { namelessBorders }] = await Promise.all([
    import('../../languages/say.ts'),
    import('../../queries/doctor/borders.ts'),
  ]);
  const due = kept.split(',').filter((item) => isKey(`news.items.${item}.1`));
  if (due.length === 0) return;
  const nameless = namelessBorders(live.current().gateway);
  const isTold = await noticeTo({ workspace, announce }, () => false, {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const sentences = due.flatMap((item) => NUMBERS.map((number) => `news.items.${item}.${number}` as const));
      const told = [
        ...sentences.flatMap((key) => (isKey(key) ? [say(language, key)] : [])),
        ...nameless.map(({ where, value }) => say(language, 'news.noName', { where, value })),
      ];
      const lines = [say(language, 'news.opening'), '', ...told.map((item) => `- ${item}`)];
      return { subject: say(language, 'news.subject'), text: lines.join('\n') };
    },
  });
  if (isTold) await gateway.changeSetting(DUE, '');
}
