import type { RefusedAnswerWords } from './words.ts';

const senders = '`epistle senders`';

export const others = {
  nl: {
    verbs: { allow: 'toelaten', once: 'eenmalig', block: 'blokkeren' },
    buttons: { allow: 'Toelaten', once: 'Eenmalig', block: 'Blokkeren' },
    how: (several) =>
      `Antwoord ${several ? 'met een regel voor elk: "toelaten 1"' : '"toelaten"'} (mag voortaan schrijven), ${several ? '"eenmalig 1"' : '"eenmalig"'} (wat er geschreven is wordt beantwoord als van een vreemde, verder verandert er niets) of ${several ? '"blokkeren 1"' : '"blokkeren"'} (wordt voortaan geweigerd).${several ? ' In plaats van het nummer mag ook het adres.' : ''} Wilt u niemand toelaten, dan hoeft u niets te doen.`,
    kept: (days) =>
      `Wat er geschreven is wordt ${days} ${days === 1 ? 'dag' : 'dagen'} bewaard; niemand hoeft opnieuw te schrijven.`,
    why: {
      nothing: 'Uw antwoord heeft geen regel met "toelaten", "eenmalig" of "blokkeren".',
      more_words:
        'Uw antwoord zegt meer dan "toelaten", "eenmalig" of "blokkeren", en dat kan de betekenis veranderen.',
      which: 'Er staan meer afzenders op de lijst en uw antwoord zegt niet welke: "toelaten 1" of "alles toelaten".',
      unknown_sender: '{detail} staat niet op de lijst, letter voor letter.',
      pattern: 'Per mail kan het om één adres gaan, niet om alle waarop {detail} past.',
    },
    allowed: (sender, persona) => `${sender} mag voortaan aan ${persona} schrijven.`,
    once: (sender, persona) => `${sender} is deze ene keer toegelaten en blijft onbekend voor ${persona}.`,
    blocked: (sender, persona) => `${sender} kan niet meer aan ${persona} schrijven, en u hoort er niet meer van.`,
    taken: (mails) =>
      mails === 0
        ? 'Niets ervan kon worden aangenomen; er moet opnieuw worden geschreven.'
        : mails === 1
          ? 'Eén mail van die afzender is aangenomen en wordt beantwoord.'
          : `${mails} mails van die afzender zijn aangenomen en worden beantwoord.`,
    open: (sender) => `${sender} wacht nog op uw antwoord.`,
    settled: (sender, verb, by, at) => `Over ${sender} is al beslist: "${verb}", door ${by}, om ${at}.`,
    expired: (sender) =>
      `De tijd voor een antwoord over ${sender} is om, en er is niets gedaan. ${senders} kan nog toelaten.`,
    needsProof: (sender) =>
      `${sender} mag al schrijven. Wat ontbreekt is bewijs dat de mail daarvandaan komt, en dat vervangt geen antwoord: er is niets gedaan.`,
    isOwner: (sender) => `${sender} is een eigenaar, en die wordt niet per mail geblokkeerd: er is niets gedaan.`,
    denied: (sender, persona) =>
      `Een regel van ${persona} of van deze gateway weigert ${sender} en gaat voor: er is niets gedaan. ${senders} verandert dat.`,
    notYours: (sender, persona) => `${persona} is niet van u: over ${sender} is niets gedaan.`,
    notWritten: (sender, persona) =>
      `Het bestand van ${persona} kon niet worden gewijzigd, het log zegt waarom: over ${sender} is niets gedaan. U kunt opnieuw antwoorden.`,
    isPattern: (sender) =>
      `${sender} zou als regel ook op andere adressen passen: er is niets gedaan. ${senders} beslist erover.`,
  },
  pl: {
    verbs: { allow: 'dopuść', once: 'jednorazowo', block: 'zablokuj' },
    buttons: { allow: 'Dopuść', once: 'Tylko raz', block: 'Zablokuj' },
    how: (several) =>
      `Proszę odpowiedzieć ${several ? 'po wierszu na każdego: „dopuść 1”' : '„dopuść”'} (odtąd może pisać), ${several ? '„jednorazowo 1”' : '„jednorazowo”'} (na to, co napisał, przyjdzie odpowiedź jak dla obcego, poza tym nic się nie zmieni) albo ${several ? '„zablokuj 1”' : '„zablokuj”'} (odtąd będzie odrzucany).${several ? ' Zamiast numeru może być adres.' : ''} Aby nikogo nie dopuścić, nie trzeba nic robić.`,
    kept: (days) => `To, co napisano, jest przechowywane (w dniach: ${days}); nikt nie musi pisać ponownie.`,
    why: {
      nothing: 'W odpowiedzi nie ma wiersza z „dopuść”, „jednorazowo” ani „zablokuj”.',
      more_words: 'Odpowiedź mówi więcej niż „dopuść”, „jednorazowo” lub „zablokuj”, a to może zmienić sens.',
      which: 'Na liście jest kilku nadawców, a odpowiedź nie mówi, o kogo chodzi: „dopuść 1” albo „dopuść wszystkie”.',
      unknown_sender: 'Adresu {detail} nie ma na liście, litera po literze.',
      pattern: 'W odpowiedzi może chodzić tylko o jeden adres, nie o wszystkie, do których pasuje {detail}.',
    },
    allowed: (sender, persona) => `${sender} może odtąd pisać do: ${persona}.`,
    once: (sender, persona) => `${sender}: dopuszczono tylko tym razem, dla ${persona} pozostaje nieznany.`,
    blocked: (sender, persona) => `${sender} nie może już pisać do: ${persona}. Więcej o nim nie będzie mowy.`,
    taken: (mails) =>
      mails === 0
        ? 'Nic z tego nie dało się przyjąć; trzeba napisać ponownie.'
        : `Przyjęte wiadomości, na które przyjdzie odpowiedź: ${mails}.`,
    open: (sender) => `${sender} nadal czeka na odpowiedź.`,
    settled: (sender, verb, by, at) => `O ${sender} już zdecydowano: „${verb}”, ${by}, ${at}.`,
    expired: (sender) =>
      `Czas na odpowiedź w sprawie ${sender} minął i nic nie zrobiono. ${senders} nadal może go dopuścić.`,
    needsProof: (sender) =>
      `${sender} już może pisać. Brakuje dowodu, że wiadomość stamtąd pochodzi, a żadna odpowiedź go nie zastąpi: nic nie zrobiono.`,
    isOwner: (sender) => `${sender} to właściciel, a właścicieli nie blokuje się pocztą: nic nie zrobiono.`,
    denied: (sender, persona) =>
      `Reguła ${persona} lub tej bramki odrzuca ${sender} i ma pierwszeństwo: nic nie zrobiono. Zmienia ją ${senders}.`,
    notYours: (sender, persona) => `${persona} nie należy do Państwa: w sprawie ${sender} nic nie zrobiono.`,
    notWritten: (sender, persona) =>
      `Pliku ${persona} nie dało się zmienić, przyczyna jest w dzienniku: w sprawie ${sender} nic nie zrobiono. Można odpowiedzieć ponownie.`,
    isPattern: (sender) =>
      `${sender} jako reguła pasowałby też do innych adresów: nic nie zrobiono. Decyduje o tym ${senders}.`,
  },
  pt: {
    verbs: { allow: 'permitir', once: 'uma vez', block: 'bloquear' },
    buttons: { allow: 'Permitir', once: 'Só uma vez', block: 'Bloquear' },
    how: (several) =>
      `Responda ${several ? 'com uma linha para cada um: "permitir 1"' : '"permitir"'} (pode escrever a partir de agora), ${several ? '"uma vez 1"' : '"uma vez"'} (o que escreveu recebe resposta como de um estranho, e nada mais muda) ou ${several ? '"bloquear 1"' : '"bloquear"'} (é recusado a partir de agora).${several ? ' O endereço serve em vez do número.' : ''} Para não admitir ninguém, não é preciso fazer nada.`,
    kept: (days) =>
      `O que escreveram é guardado durante ${days} ${days === 1 ? 'dia' : 'dias'}; ninguém tem de escrever outra vez.`,
    why: {
      nothing: 'A sua resposta não tem nenhuma linha com "permitir", "uma vez" ou "bloquear".',
      more_words: 'A sua resposta diz mais do que "permitir", "uma vez" ou "bloquear", e isso pode mudar o sentido.',
      which: 'Há vários remetentes na lista e a sua resposta não diz qual: "permitir 1" ou "permitir todos".',
      unknown_sender: '{detail} não está na lista, letra por letra.',
      pattern: 'Por mail só pode tratar-se de um endereço, não de todos os que {detail} abrange.',
    },
    allowed: (sender, persona) => `${sender} pode escrever a ${persona} a partir de agora.`,
    once: (sender, persona) => `${sender} foi admitido só desta vez e continua desconhecido de ${persona}.`,
    blocked: (sender, persona) => `${sender} já não pode escrever a ${persona}, e não ouvirá mais falar disso.`,
    taken: (mails) =>
      mails === 0
        ? 'Nada do que escreveu pôde ser recebido; terá de escrever outra vez.'
        : mails === 1
          ? 'Uma mensagem foi recebida e tem resposta.'
          : `${mails} mensagens foram recebidas e têm resposta.`,
    open: (sender) => `${sender} ainda espera a sua resposta.`,
    settled: (sender, verb, by, at) => `Sobre ${sender} já foi decidido: "${verb}", por ${by}, às ${at}.`,
    expired: (sender) =>
      `O prazo para responder sobre ${sender} terminou e nada foi feito. ${senders} ainda o pode admitir.`,
    needsProof: (sender) =>
      `${sender} já pode escrever. Falta a prova de que a mensagem é sua, e nenhuma resposta a substitui: nada foi feito.`,
    isOwner: (sender) => `${sender} é proprietário, e nenhum proprietário é bloqueado por mail: nada foi feito.`,
    denied: (sender, persona) =>
      `Uma regra de ${persona} ou deste gateway recusa ${sender} e vale mais: nada foi feito. ${senders} muda-a.`,
    notYours: (sender, persona) => `${persona} não é seu: nada foi feito sobre ${sender}.`,
    notWritten: (sender, persona) =>
      `O ficheiro de ${persona} não pôde ser alterado, o registo diz porquê: nada foi feito sobre ${sender}. Pode responder outra vez.`,
    isPattern: (sender) =>
      `${sender} como regra abrangeria também outros endereços: nada foi feito. ${senders} decide sobre isso.`,
  },
  ja: {
    verbs: { allow: '許可', once: '一度だけ', block: 'ブロック' },
    buttons: { allow: '許可', once: '一度だけ', block: 'ブロック' },
    how: (several) =>
      `${several ? '一件につき一行で、「許可 1」' : '「許可」'}（今後は書けます）、${several ? '「一度だけ 1」' : '「一度だけ」'}（届いた分だけ見知らぬ人として返信し、ほかは変わりません）、または${several ? '「ブロック 1」' : '「ブロック」'}（今後は受け付けません）とご返信ください。${several ? '番号の代わりにアドレスでもかまいません。' : ''}誰も許可しない場合は、何もする必要はありません。`,
    kept: (days) => `届いたメールは${days}日間保存されるので、書き直してもらう必要はありません。`,
    why: {
      nothing: 'ご返信に「許可」「一度だけ」「ブロック」のいずれかの行がありません。',
      more_words: 'ご返信に「許可」「一度だけ」「ブロック」以外の言葉があり、意味が変わるかもしれません。',
      which: '差出人が複数あり、どれのことか分かりません:「許可 1」または「すべて 許可」。',
      unknown_sender: '{detail} は一覧に（一字一句同じものが）ありません。',
      pattern: 'メールでは一つのアドレスについてのみ決められます。{detail} に当てはまる全部は扱えません。',
    },
    allowed: (sender, persona) => `${sender} は今後 ${persona} に書けます。`,
    once: (sender, persona) => `${sender} を今回だけ受け付けました。${persona} にとっては引き続き見知らぬ人です。`,
    blocked: (sender, persona) => `${sender} は ${persona} に書けなくなりました。今後お知らせもしません。`,
    taken: (mails) =>
      mails === 0
        ? '届いていたメールは受け付けられませんでした。もう一度書いてもらう必要があります。'
        : `メール${mails}件を受け付け、返信します。`,
    open: (sender) => `${sender} についてはまだお返事待ちです。`,
    settled: (sender, verb, by, at) => `${sender} についてはすでに決まっています:「${verb}」（${by}、${at}）。`,
    expired: (sender) => `${sender} についての返信期限は過ぎ、何も行っていません。${senders} ではまだ許可できます。`,
    needsProof: (sender) =>
      `${sender} はすでに許可されています。足りないのは本人のメールだという証拠で、返信では代えられません。何も行っていません。`,
    isOwner: (sender) => `${sender} は所有者です。所有者はメールではブロックできません。何も行っていません。`,
    denied: (sender, persona) =>
      `${persona} またはこのゲートウェイの規則が ${sender} を拒んでおり、そちらが優先します。何も行っていません。変更は ${senders} で。`,
    notYours: (sender, persona) => `あなたは ${persona} の所有者ではありません。${sender} について何も行っていません。`,
    notWritten: (sender, persona) =>
      `${persona} のファイルを変更できませんでした（理由はログにあります）。${sender} について何も行っていません。もう一度ご返信いただけます。`,
    isPattern: (sender) =>
      `${sender} は規則としてほかのアドレスにも当てはまります。何も行っていません。${senders} で決められます。`,
  },
  zh: {
    verbs: { allow: '允许', once: '仅此一次', block: '屏蔽' },
    buttons: { allow: '允许', once: '仅此一次', block: '屏蔽' },
    how: (several) =>
      `请回复${several ? '，每位一行：“允许 1”' : '“允许”'}（今后可以来信）、${several ? '“仅此一次 1”' : '“仅此一次”'}（只按陌生人答复已来的信，其他不变）或${several ? '“屏蔽 1”' : '“屏蔽”'}（今后一律拒收）。${several ? '也可用地址代替编号。' : ''}如不允许任何人，则无需操作。`,
    kept: (days) => `已来的信保留 ${days} 天，对方无需重写。`,
    why: {
      nothing: '您的回复中没有“允许”“仅此一次”或“屏蔽”这样的一行。',
      more_words: '您的回复除“允许”“仅此一次”或“屏蔽”之外还有别的话，可能改变意思。',
      which: '列表中有多位发件人，您的回复没有说是哪一位：“允许 1”或“全部 允许”。',
      unknown_sender: '列表中没有与 {detail} 逐字相同的地址。',
      pattern: '通过邮件只能决定单个地址，不能决定所有符合 {detail} 的地址。',
    },
    allowed: (sender, persona) => `${sender} 今后可以写信给 ${persona}。`,
    once: (sender, persona) => `${sender} 仅此一次被接受，对 ${persona} 仍是陌生人。`,
    blocked: (sender, persona) => `${sender} 不能再写信给 ${persona}，您也不会再收到有关通知。`,
    taken: (mails) => (mails === 0 ? '其来信未能接受，需要对方重写。' : `已接受其来信 ${mails} 封，将予以答复。`),
    open: (sender) => `${sender} 仍在等您的答复。`,
    settled: (sender, verb, by, at) => `关于 ${sender} 此前已有决定：“${verb}”，${by}，${at}。`,
    expired: (sender) => `关于 ${sender} 的答复期限已过，未做任何处理。仍可用 ${senders} 允许。`,
    needsProof: (sender) =>
      `${sender} 本来就可以来信。缺的是邮件确实出自本人的证据，任何答复都不能代替：未做任何处理。`,
    isOwner: (sender) => `${sender} 是所有者，所有者不能通过邮件屏蔽：未做任何处理。`,
    denied: (sender, persona) =>
      `${persona} 或本网关的规则拒绝 ${sender}，且优先于您的答复：未做任何处理。可用 ${senders} 更改。`,
    notYours: (sender, persona) => `您不是 ${persona} 的所有者：关于 ${sender} 未做任何处理。`,
    notWritten: (sender, persona) =>
      `无法更改 ${persona} 的文件，原因见日志：关于 ${sender} 未做任何处理。您可以再次答复。`,
    isPattern: (sender) => `${sender} 作为规则也会符合其他地址：未做任何处理。可用 ${senders} 决定。`,
  },
} as const satisfies Record<string, RefusedAnswerWords>;
