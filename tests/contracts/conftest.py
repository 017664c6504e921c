"""Tests here may ask for a real keyring."""

from tests.secret_service import secret_service, secret_service_process

__all__ = ["secret_service", "secret_service_process"]
