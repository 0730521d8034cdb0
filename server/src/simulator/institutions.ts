/** A bank or mobile-money operator the provider can pay to. */
export type Listed = {
  readonly id: string
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly bankCode: string | null
  readonly type: 'bank_account' | 'mobile_money'
}

type Names = Readonly<Record<string, string>>

/** By bank code. Nigerian codes are those of the Central Bank, or of NIP where the Central Bank gave none. */
const banksByCode: Readonly<Record<string, { readonly currency: string; readonly banks: Names }>> = {
  NG: {
    currency: 'NGN',
    banks: {
      '011': 'First Bank of Nigeria',
      '023': 'Citibank Nigeria',
      '030': 'Heritage Bank',
      '032': 'Union Bank of Nigeria',
      '033': 'United Bank for Africa',
      '035': 'Wema Bank',
      '044': 'Access Bank',
      '050': 'Ecobank Nigeria',
      '057': 'Zenith Bank',
      '058': 'Guaranty Trust Bank',
      '068': 'Standard Chartered Bank Nigeria',
      '070': 'Fidelity Bank',
      '076': 'Polaris Bank',
      '082': 'Keystone Bank',
      '00103': 'Globus Bank',
      '100': 'SunTrust Bank',
      '101': 'Providus Bank',
      '102': 'Titan Trust Bank',
      '104': 'Parallex Bank',
      '105': 'PremiumTrust Bank',
      '106': 'Signature Bank',
      '107': 'Optimus Bank',
      '214': 'First City Monument Bank',
      '215': 'Unity Bank',
      '221': 'Stanbic IBTC Bank',
      '232': 'Sterling Bank',
      '301': 'Jaiz Bank',
      '302': 'TAJ Bank',
      '303': 'Lotus Bank',
      '501': 'FSDH Merchant Bank',
      '502': 'Rand Merchant Bank',
      '559': 'Coronation Merchant Bank',
      '566': 'VFD Microfinance Bank',
      '50211': 'Kuda Microfinance Bank',
      '50515': 'Moniepoint Microfinance Bank',
      '120001': '9 Payment Service Bank',
      '120002': 'HopePSB',
      '120003': 'MoMo Payment Service Bank',
      '120004': 'SmartCash Payment Service Bank',
      '999991': 'PalmPay',
      '999992': 'OPay',
    },
  },
  GH: {
    currency: 'GHS',
    banks: {
      '020100': 'Standard Chartered Bank Ghana',
      '030100': 'Absa Bank Ghana',
      '040100': 'GCB Bank',
      '080100': 'Agricultural Development Bank',
      '120100': 'Zenith Bank Ghana',
      '130100': 'Ecobank Ghana',
      '140100': 'CalBank',
      '190100': 'Stanbic Bank Ghana',
      '230100': 'Guaranty Trust Bank Ghana',
      '240100': 'Fidelity Bank Ghana',
    },
  },
  KE: {
    currency: 'KES',
    banks: {
      '01': 'KCB Bank Kenya',
      '02': 'Standard Chartered Bank Kenya',
      '03': 'Absa Bank Kenya',
      '07': 'NCBA Bank Kenya',
      '11': 'Co-operative Bank of Kenya',
      '31': 'Stanbic Bank Kenya',
      '57': 'I&M Bank Kenya',
      '63': 'Diamond Trust Bank Kenya',
      '68': 'Equity Bank Kenya',
      '70': 'Family Bank',
    },
  },
  UG: {
    currency: 'UGX',
    banks: {
      BARCUGKX: 'Absa Bank Uganda',
      CERBUGKA: 'Centenary Bank',
      DFCUUGKA: 'dfcu Bank',
      EQBLUGKA: 'Equity Bank Uganda',
      SBICUGKX: 'Stanbic Bank Uganda',
    },
  },
  TZ: {
    currency: 'TZS',
    banks: {
      CORUTZTZ: 'CRDB Bank',
      NLCBTZTX: 'National Bank of Commerce',
      NMIBTZTZ: 'NMB Bank',
      SBICTZTX: 'Stanbic Bank Tanzania',
    },
  },
  RW: {
    currency: 'RWF',
    banks: { BKIGRWRW: 'Bank of Kigali', ECOCRWRW: 'Ecobank Rwanda', IMRWRWRW: 'I&M Bank Rwanda' },
  },
  ZM: {
    currency: 'ZMW',
    banks: {
      BARCZMLX: 'Absa Bank Zambia',
      FIRNZMLX: 'First National Bank Zambia',
      SBICZMLX: 'Stanbic Bank Zambia',
      ZNCOZMLU: 'Zambia National Commercial Bank',
    },
  },
  ZA: {
    currency: 'ZAR',
    banks: {
      '051001': 'Standard Bank',
      '198765': 'Nedbank',
      '250655': 'First National Bank',
      '470010': 'Capitec Bank',
      '580105': 'Investec Bank',
      '632005': 'Absa Bank',
      '678910': 'TymeBank',
      '679000': 'Discovery Bank',
    },
  },
  CI: { currency: 'XOF', banks: { CI008: "Société Générale Côte d'Ivoire", CI059: "Ecobank Côte d'Ivoire" } },
  SN: { currency: 'XOF', banks: { SN011: 'Société Générale Sénégal', SN012: 'CBAO', SN094: 'Ecobank Sénégal' } },
  CM: {
    currency: 'XAF',
    banks: {
      '10001': 'BICEC',
      '10003': 'Société Générale Cameroun',
      '10005': 'Afriland First Bank',
      '10029': 'Ecobank Cameroun',
    },
  },
}

/** Banks that are found by a routing number, a sort code or an IBAN, and have no code of their own here. */
const banksByName: Readonly<Record<string, { readonly currency: string; readonly banks: readonly string[] }>> = {
  US: { currency: 'USD', banks: ['Bank of America', 'Citibank', 'JPMorgan Chase Bank', 'Wells Fargo Bank'] },
  GB: { currency: 'GBP', banks: ['Barclays', 'HSBC UK', 'Lloyds Bank', 'Monzo Bank', 'NatWest'] },
  DE: { currency: 'EUR', banks: ['Commerzbank', 'Deutsche Bank', 'N26 Bank'] },
  ES: { currency: 'EUR', banks: ['Banco Santander', 'BBVA', 'CaixaBank'] },
  FR: { currency: 'EUR', banks: ['BNP Paribas', 'Crédit Agricole', 'Société Générale'] },
  IE: { currency: 'EUR', banks: ['Allied Irish Banks', 'Bank of Ireland'] },
  NL: { currency: 'EUR', banks: ['ABN AMRO', 'ING', 'Rabobank'] },
}

const operators: Readonly<Record<string, { readonly currency: string; readonly operators: Names }>> = {
  GH: { currency: 'GHS', operators: { mtn: 'MTN Mobile Money', telecel: 'Telecel Cash', at: 'AT Money' } },
  KE: { currency: 'KES', operators: { mpesa: 'M-PESA', airtel: 'Airtel Money Kenya', tkash: 'T-Kash' } },
  UG: { currency: 'UGX', operators: { mtn: 'MTN MoMo Uganda', airtel: 'Airtel Money Uganda' } },
  TZ: {
    currency: 'TZS',
    operators: { mpesa: 'M-Pesa Tanzania', mixx: 'Mixx by Yas', airtel: 'Airtel Money Tanzania', halopesa: 'HaloPesa' },
  },
  RW: { currency: 'RWF', operators: { mtn: 'MTN MoMo Rwanda', airtel: 'Airtel Money Rwanda' } },
  ZM: { currency: 'ZMW', operators: { mtn: 'MTN MoMo Zambia', airtel: 'Airtel Money Zambia', zamtel: 'Zamtel Money' } },
  CI: {
    currency: 'XOF',
    operators: {
      orange: "Orange Money Côte d'Ivoire",
      mtn: "MTN MoMo Côte d'Ivoire",
      moov: "Moov Money Côte d'Ivoire",
      wave: "Wave Côte d'Ivoire",
    },
  },
  SN: { currency: 'XOF', operators: { orange: 'Orange Money Sénégal', free: 'Free Money', wave: 'Wave Sénégal' } },
  CM: { currency: 'XAF', operators: { mtn: 'MTN MoMo Cameroun', orange: 'Orange Money Cameroun' } },
}

/** Everything the provider can pay to. */
export const institutions: readonly Listed[] = [
  ...Object.entries(banksByCode).flatMap(([country, { currency, banks }]) =>
    Object.entries(banks).map(([bankCode, name]) =>
      listed('bank_account', country, currency, name, bankCode.toLowerCase(), bankCode),
    ),
  ),
  ...Object.entries(banksByName).flatMap(([country, { currency, banks }]) =>
    banks.map((name) => listed('bank_account', country, currency, name, slug(name), null)),
  ),
  ...Object.entries(operators).flatMap(([country, { currency, operators: names }]) =>
    Object.entries(names).map(([key, name]) => listed('mobile_money', country, currency, name, `${key}-money`, null)),
  ),
]

function listed(
  type: Listed['type'],
  country: string,
  currency: string,
  name: string,
  key: string,
  bankCode: string | null,
): Listed {
  return { id: `${country.toLowerCase()}-${key}`, name, country, currency, bankCode, type }
}

function slug(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.replaceAll(/[^a-z0-9]+/g, '-')
}
