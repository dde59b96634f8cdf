"""The process and its socket: who is listened to, what runs beside the requests, how it stops."""
