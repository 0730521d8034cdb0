-- A plan made while the queue was empty scans whole tables, and is kept when it is full. Claims go by their indexes.
alter function claim_webhook_deliveries(uuid, timestamptz, integer, integer, integer, uuid[], uuid[])
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off;
