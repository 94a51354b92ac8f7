/**
 * Secrets by their form that gitleaks has no rule for, has with a keyword of one or two letters, or has in a form that
 * may match in several ways.
 */
import type { IssuedRule } from './types.js';

export const own: readonly IssuedRule[] = [
  { id: 'aws-key-id', words: ['akia', 'asia', 'abia', 'acca'], form: '\\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}' },
  { id: 'github', words: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], form: 'gh[a-z]_[A-Za-z0-9]{36,255}' },
  { id: 'slack', words: ['xox'], form: 'xox[a-z][-.][\\w.-]{10,255}' },
  { id: 'slack-webhook', words: ['hooks.slack.com/'], form: 'hooks\\.slack\\.com/[a-z]{4,20}/[A-Za-z0-9+/]{20,80}' },
  {
    id: 'discord-webhook',
    words: ['discord.com/api/webhooks/'],
    form: 'discord\\.com/api/webhooks/\\d{5,30}/[\\w-]{20,100}',
  },
  { id: 'teams-webhook', words: ['webhook.office.com/'], form: 'webhook\\.office\\.com/[\\w@/-]{30,300}' },
  { id: 'openai', words: ['sk-proj-', 'sk-svca', 'sk-admi', 'sk-ant-'], form: '\\bsk-[a-z]{3,10}-[\\w-]{20,300}' },
  { id: 'openai-legacy', words: ['t3blbkfj'], before: 23, form: 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}' },
  { id: 'azure-ad', words: ['q~'], before: 4, form: '[\\w~.]{3}\\dQ~[\\w~.-]{31,34}', entropy: 3 },
  { id: 'maxmind', words: ['_mmk'], before: 36, form: '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk', entropy: 4 },
  { id: 'terraform', words: ['.atlasv1.'], before: 14, form: '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}' },
  { id: 'vault', words: ['hvs.'], form: '\\bhvs\\.[\\w-]{20,200}', entropy: 3.5 },
  { id: 'sentry-org', words: ['sntrys_'], form: 'sntrys_[\\w+/=]{40,600}' },
  { id: 'atlassian', words: ['atatt3', 'atctt3'], form: 'AT[AC]TT3[\\w=-]{40,250}' },
  { id: 'docker', words: ['dckr_pat_', 'dckr_oat_'], form: 'dckr_[po]at_[\\w-]{20,100}' },
  { id: 'google-oauth', words: ['ya29.'], form: '\\bya29\\.[\\w-]{20,400}' },
  { id: 'google-client', words: ['gocspx-'], form: 'GOCSPX-[\\w-]{20,60}' },
  { id: 'netlify', words: ['nfp_'], form: '\\bnfp_[A-Za-z0-9]{36,40}' },
  { id: 'supabase', words: ['sbp_'], form: '\\bsbp_[a-f0-9]{40}' },
  { id: 'postgres-neon', words: ['npg_'], form: '\\bnpg_[A-Za-z0-9]{12,40}' },
  { id: 'telegram', words: [':aa'], before: 8, form: '\\d{8}:AA[\\w-]{33}' },
  { id: 'k3s', words: ['k10'], form: '\\bK10[a-f0-9]{64}::[\\w:.-]{1,200}' },
  { id: 'docker-config', words: ['eyjhdxrocyi6'], form: 'eyJhdXRocyI6[A-Za-z0-9+/]{8,4000}={0,2}' },
  { id: 'sendgrid', words: ['sg.'], form: '\\bSG\\.[\\w-]{22}\\.[\\w-]{43}' },
];
