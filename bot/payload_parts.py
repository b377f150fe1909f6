"""What the payloads of several events are made of, and why one is not the App's."""

import msgspec

from handlers.events import Actor, EventRepository

NOT_BY_THE_APP = "no installation in it: sent by another hook than the App's"


class Account(msgspec.Struct):
    id: int
    login: str
    type: str = "User"

    def as_actor(self) -> Actor:
        return Actor(id=self.id, login=self.login, is_bot=self.type == "Bot")


class Installation(msgspec.Struct):
    id: int


class Repository(msgspec.Struct):
    id: int
    name: str
    owner: Account
    private: bool = False
    default_branch: str = ""

    def as_event_repository(self, installation: Installation) -> EventRepository:
        return EventRepository(
            id=self.id,
            owner=self.owner.login,
            name=self.name,
            private=self.private,
            installation_id=installation.id,
        )
