import { lines, type Row } from './panels.ts';
import { inFiveMinutes, of, ofNode, perSecond } from './queries.ts';

/** Mail, API keys and usage counts. */
export const accounts: Row = {
  title: 'Mails and keys',
  panels: [
    lines({
      title: 'Mails by outcome, in 5 minutes',
      description:
        'retried, then given_up: the mail server refuses them; the gateway’s log has its response. held_back: an address reached its limit. stopped: all mails reached MAILS_PER_HOUR_MAX.',
      unit: 'none',
      queries: { '{{outcome}}': inFiveMinutes('mails_total', 'outcome') },
    }),
    lines({
      title: 'API keys, in 5 minutes',
      description:
        'Issued and revoked. If many more than usual, check for bulk registrations; see REGISTRATIONS_PER_HOUR_MAX.',
      unit: 'none',
      queries: { '{{event}}': inFiveMinutes('api_keys_total', 'event') },
    }),
    lines({
      title: 'Operations lost, in 5 minutes',
      description:
        'Operations that were answered but not counted: the database was unavailable for longer than a gateway keeps them.',
      unit: 'none',
      queries: { '': `sum(increase(${of('usage_operations_lost_total')}[5m]))` },
    }),
  ],
};

/** Document opens and their counting. */
export const telemetry: Row = {
  title: 'Telemetry',
  panels: [
    lines({
      title: 'Opens accepted, opens and operations counted',
      description:
        'Counted follows accepted with a delay of one second, and includes API operations. If it stays below, see “Oldest not counted”.',
      unit: 'ops',
      queries: {
        accepted: `sum(rate(${of('telemetry_events_total')}[$__rate_interval]))`,
        counted: `sum(rate(${of('telemetry_counted_total')}[$__rate_interval]))`,
      },
    }),
    lines({
      title: 'Oldest not counted',
      description:
        'Above one minute, no consumer runs, or it fails; its log has the reason. Nothing is lost: it is counted later.',
      unit: 's',
      queries: { '': `max(${of('telemetry_inbox_oldest_seconds')})` },
    }),
    lines({
      title: 'Collector responses by status',
      description:
        '202: accepted. 429: a license exceeded its limit. 503: the database is unavailable, and these opens are lost, because editors do not resend them.',
      unit: 'reqps',
      queries: { '{{status}}': perSecond('telemetry_requests_total', 'status') },
    }),
    lines({
      title: 'Held bytes',
      description: 'Opens that wait for the database. If it grows, the database is slow or unavailable.',
      unit: 'bytes',
      queries: { '{{instance}}': of('telemetry_held_bytes') },
    }),
    lines({
      title: 'Writes failed, rows set aside, in 5 minutes',
      description:
        'Failed: the senders got 503; check the database. Set aside: rows that cannot be counted are kept in usage_inbox_aside; the log has their ids.',
      unit: 'none',
      queries: {
        'writes failed': `sum(increase(${of('telemetry_write_failures_total')}[5m]))`,
        'rows set aside': `sum(increase(${of('telemetry_set_aside_total')}[5m]))`,
      },
    }),
  ],
};

/** The resources that every process uses. */
export const processes: Row = {
  title: 'Processes',
  panels: [
    lines({
      title: 'CPU',
      description:
        'Cores, without the converters’ engines. At its container’s limit a process is throttled: raise the limit, or add processes.',
      unit: 'none',
      queries: {
        '{{service}} {{instance}}': ofNode(
          (chosen) => `rate(process_cpu_seconds_total${chosen}[$__rate_interval])`,
        ),
      },
    }),
    lines({
      title: 'Memory',
      description:
        'Resident memory, without the converters’ engines. If it grows for hours while traffic does not, restart the process and report the problem.',
      unit: 'bytes',
      queries: { '{{service}} {{instance}}': ofNode((chosen) => `process_resident_memory_bytes${chosen}`) },
    }),
    lines({
      title: 'Event loop lag, p99',
      description:
        'Delay of a process before its next task. Above 0.5 s it cannot respond in time: it lacks CPU.',
      unit: 's',
      queries: {
        '{{service}} {{instance}}': ofNode((chosen) => `nodejs_eventloop_lag_p99_seconds${chosen}`),
      },
    }),
    lines({
      title: 'Open descriptors',
      description:
        'Files, sockets and pipes. If it grows while traffic does not, it is a leak: restart the process and report the problem.',
      unit: 'none',
      queries: { '{{service}} {{instance}}': ofNode((chosen) => `process_open_fds${chosen}`) },
    }),
    lines({
      title: 'Restarts',
      description:
        'Starts of a process at the same address in the last hour. If more than roll-outs explain, read the end of its log.',
      unit: 'none',
      queries: {
        '{{service}} {{instance}}': ofNode((chosen) => `changes(process_start_time_seconds${chosen}[1h])`),
      },
    }),
  ],
};
