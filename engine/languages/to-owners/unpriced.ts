import type { Wording } from '../language.ts';

interface Unpriced {
  /** `provider/model`, with commas between them. */
  readonly models: string;
  /** Of personas. */
  readonly names: string;
  readonly day: string;
}

/** What owners are told after an upgrade whose budgets are held from a day on, and whose models have no price. */
export const UNPRICED: Wording<(told: Unpriced) => { readonly subject: string; readonly text: string }> = {
  en: ({ models, names, day }) => ({
    subject: `A price is missing: mail waits from ${day} on`,
    text: `${names} may spend so much and no more, but nobody has said what ${models} costs. So far a guess was booked. This goes on until ${day}; then mail waits until there is a price.\n\nWrite the price per million tokens under \`prices\` in configs/inference.json, name another model, or set \`allow_unpriced\` there to true, and it stays as it is.`,
  }),
  de: ({ models, names, day }) => ({
    subject: `Ein Preis fehlt: ab ${day} warten Mails`,
    text: `${names} darf nur so viel ausgeben, wie im Budget steht, aber niemand hat gesagt, was ${models} kostet. Bisher wurde geschätzt. Das geht so weiter bis ${day}; danach warten Mails, bis es einen Preis gibt.\n\nTragen Sie den Preis je Million Tokens unter \`prices\` in configs/inference.json ein, nennen Sie ein anderes Modell, oder setzen Sie dort \`allow_unpriced\` auf true, dann bleibt alles, wie es ist.`,
  }),
  fr: ({ models, names, day }) => ({
    subject: `Un prix manque : les messages attendront à partir du ${day}`,
    text: `${names} ne doit pas dépenser plus que son budget, mais personne n’a dit ce que coûte ${models}. Jusqu’ici, une estimation était comptée. Cela continue jusqu’au ${day} ; ensuite, les messages attendront qu’il y ait un prix.\n\nIndiquez le prix par million de jetons sous \`prices\` dans configs/inference.json, choisissez un autre modèle, ou mettez-y \`allow_unpriced\` à true, et rien ne change.`,
  }),
  es: ({ models, names, day }) => ({
    subject: `Falta un precio: el correo espera a partir del ${day}`,
    text: `${names} no puede gastar más que su presupuesto, pero nadie ha dicho lo que cuesta ${models}. Hasta ahora se contaba una estimación. Así sigue hasta el ${day}; después el correo espera hasta que haya un precio.\n\nEscriba el precio por millón de tokens en \`prices\` de configs/inference.json, indique otro modelo o ponga allí \`allow_unpriced\` en true, y todo queda como está.`,
  }),
  it: ({ models, names, day }) => ({
    subject: `Manca un prezzo: la posta aspetta dal ${day}`,
    text: `${names} non può spendere più del suo budget, ma nessuno ha detto quanto costa ${models}. Finora si contava una stima. Continua così fino al ${day}; poi la posta aspetta finché c’è un prezzo.\n\nScriva il prezzo per milione di token sotto \`prices\` in configs/inference.json, indichi un altro modello, oppure metta lì \`allow_unpriced\` a true, e tutto resta com’è.`,
  }),
  nl: ({ models, names, day }) => ({
    subject: `Er ontbreekt een prijs: vanaf ${day} wacht mail`,
    text: `${names} mag niet meer uitgeven dan het budget, maar niemand heeft gezegd wat ${models} kost. Tot nu toe werd een schatting geboekt. Dat gaat zo door tot ${day}; daarna wacht mail tot er een prijs is.\n\nZet de prijs per miljoen tokens onder \`prices\` in configs/inference.json, noem een ander model, of zet daar \`allow_unpriced\` op true, en alles blijft zoals het is.`,
  }),
  pt: ({ models, names, day }) => ({
    subject: `Falta um preço: os e-mails esperam a partir de ${day}`,
    text: `${names} não pode gastar mais do que o seu orçamento, mas ninguém disse quanto custa ${models}. Até agora contava-se uma estimativa. Continua assim até ${day}; depois os e-mails esperam até haver um preço.\n\nEscreva o preço por milhão de tokens em \`prices\` de configs/inference.json, indique outro modelo, ou ponha aí \`allow_unpriced\` em true, e tudo fica como está.`,
  }),
  pl: ({ models, names, day }) => ({
    subject: `Brakuje ceny: od ${day} wiadomości będą czekać`,
    text: `${names} nie może wydać więcej niż budżet, ale nikt nie podał, ile kosztuje ${models}. Dotąd liczono według szacunku. Tak będzie do ${day}; potem wiadomości poczekają, aż będzie cena.\n\nWpisz cenę za milion tokenów w \`prices\` w configs/inference.json, podaj inny model albo ustaw tam \`allow_unpriced\` na true, a wszystko zostanie jak jest.`,
  }),
  ja: ({ models, names, day }) => ({
    subject: `料金が設定されていません：${day}からメールは保留されます`,
    text: `${names} には予算がありますが、${models} の料金が設定されていません。これまでは見積もりで計算していました。${day}まではこのまま続け、その後は料金が設定されるまでメールを保留します。\n\nconfigs/inference.json の \`prices\` に100万トークンあたりの料金を書くか、別のモデルを指定してください。\`allow_unpriced\` を true にすれば、これまでどおりです。`,
  }),
  zh: ({ models, names, day }) => ({
    subject: `缺少价格：从${day}起邮件将等待`,
    text: `${names} 有预算，但没有人说明 ${models} 的价格。到目前为止按估计计费。这会持续到${day}；之后邮件会等待，直到有了价格。\n\n请在 configs/inference.json 的 \`prices\` 中写上每百万词元的价格，或换一个模型，或在那里将 \`allow_unpriced\` 设为 true，一切照旧。`,
  }),
};
